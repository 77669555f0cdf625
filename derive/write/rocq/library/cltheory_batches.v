(* Written by cltheory. The mean of a softmax loss over all batches, of D of N indices along each axis:
   how many batches have a point and how many a pair, and so the gradient by relation. *)
From Coq Require Import Reals Lra Lia List Arith FunctionalExtensionality Permutation.
Require Import cltheory_loss cltheory_signs cltheory_gram cltheory_optimal cltheory_convex.
Import ListNotations.
Open Scope R_scope.

Lemma over_app {T} (l l' : list T) f : over (l ++ l') f = over l f + over l' f.
Proof. induction l; simpl; [ring|]. rewrite IHl; ring. Qed.
Lemma over_map {T U} (g : U -> T) l f : over (map g l) f = over l (fun t => f (g t)).
Proof. induction l; simpl; [reflexivity|]. rewrite IHl; reflexivity. Qed.
Lemma over_each {T U} (g : U -> list T) l f : over (flat_map g l) f = over l (fun t => over (g t) f).
Proof. induction l; simpl; [reflexivity|]. rewrite over_app, IHl; reflexivity. Qed.
Lemma over_filter {T} p (l : list T) f : over (filter p l) f = over l (fun t => if p t then f t else 0).
Proof. induction l; simpl; [reflexivity|]. rewrite <- IHl. destruct (p a); simpl; ring. Qed.
Lemma over_one {T} (l : list T) : over l (fun _ => 1) = INR (length l).
Proof. induction l; simpl length; [reflexivity|]. rewrite S_INR. simpl. rewrite IHl. ring. Qed.

(* ---- how many batches there are, with what is at one index or at two ---- *)
Definition none : batch := fun _ => false.
Definition below_of (i : nat) (b : batch) : batch := fun v => b (i :: v).
Lemma below_added i k b c : below_of i (added k b c) = if Nat.eqb i k then b else below_of i c.
Proof. unfold below_of, added. destruct (Nat.eqb i k); reflexivity. Qed.
Lemma below_last N b c : below_of N (added N b c) = b.
Proof. rewrite below_added, Nat.eqb_refl. reflexivity. Qed.
Lemma below_before i N b c : (i < N)%nat -> below_of i (added N b c) = below_of i c.
Proof. intro h. rewrite below_added. destruct (Nat.eqb_spec i N); [lia | reflexivity]. Qed.

Section Chosen.
Variable below : list batch.
Notation g := (over below (fun _ => 1)).
Notation among N D := (over (chosen N D below)).
Definition c (N D : nat) : R := among N D (fun _ => 1).
Fixpoint less (k N D : nat) : R :=                       (* where k of the D are drawn elsewhere *)
  match k, D with O, _ => c N D | S k', S e => less k' N e | S _, O => 0 end.
(* What is a product of a function of what is at the last index and of one of the rest. *)
Lemma at_last N D phi F G : (forall b b', F (added N b b') = phi b * G b') ->
  among (S N) D F = phi none * among N D G + match D with O => 0 | S e => over below phi * among N e G end.
Proof.
  intro E. simpl. rewrite over_app, over_map, (over_ext _ _ _ (fun b _ => E none b)), over_scal. f_equal. destruct D; [reflexivity|].
  rewrite over_each, Rmult_comm, <- over_scal. apply over_ext; intros b _. rewrite over_map, (over_ext _ _ _ (fun b' _ => E b b')), over_scal. ring.
Qed.
Lemma c_succ N D : c (S N) D = c N D + g * less 1 N D.
Proof. unfold c at 1. rewrite (at_last N D (fun _ => 1) _ (fun _ => 1)) by (intros; ring). fold (c N D). destruct D; simpl; unfold c; ring. Qed.
Lemma less_succ k N D : less k (S N) D = less k N D + g * less (S k) N D.
Proof. revert D; induction k; intros [|e]; [apply c_succ | apply c_succ | simpl; ring | apply IHk]. Qed.
Lemma c_shift N e : INR (S e) * c N (S e) = g * (INR N - INR e) * c N e.
Proof.
  revert e; induction N as [|N IH]; intro e; [destruct e; unfold c; simpl; ring|]. rewrite !c_succ, Rmult_plus_distr_l, IH. simpl less.
  destruct e as [|e]; [rewrite !S_INR; simpl; ring|]. assert (A := IH e). rewrite !S_INR in *. set (x := c N (S e)) in *. set (y := c N e) in *.
  transitivity (g * (INR N + 1 - (INR e + 1)) * (x + g * y) + g * ((INR e + 1) * x - g * (INR N - INR e) * y)); [ring|]. rewrite A. ring.
Qed.
Lemma c_drawn N e : INR (S N) * (g * c N e) = INR (S e) * c (S N) (S e).
Proof. rewrite c_succ, Rmult_plus_distr_l, c_shift, !S_INR. simpl. ring. Qed.

Lemma at_one phi N D i : phi none = 0 -> (i <= N)%nat -> among (S N) D (fun b => phi (below_of i b)) = over below phi * less 1 N D.
Proof.
  intro Z. assert (last : forall N D, among (S N) D (fun b => phi (below_of N b)) = over below phi * less 1 N D).
  { intros n e. rewrite (at_last n e phi _ (fun _ => 1)) by (intros; rewrite below_last; ring). rewrite Z. destruct e; simpl; unfold c; ring. }
  revert D; induction N as [|N IH]; intros D Hi; [replace i with O by lia; apply last|]. destruct (Nat.eq_dec i (S N)) as [->|ne]; [apply last|].
  rewrite (at_last (S N) D (fun _ => 1) _ (fun b => phi (below_of i b))) by (intros; rewrite below_before by lia; ring).
  rewrite less_succ, IH by lia. destruct D; [simpl; ring|]. rewrite IH by lia. simpl. ring.
Qed.
Lemma at_two phi psi N D i j : phi none = 0 -> psi none = 0 -> i <> j -> (i <= S N)%nat -> (j <= S N)%nat ->
  among (S (S N)) D (fun b => phi (below_of i b) * psi (below_of j b)) = over below phi * over below psi * less 2 N D.
Proof.
  enough (W : forall phi psi N D i j, phi none = 0 -> psi none = 0 -> (i < j)%nat -> (j <= S N)%nat ->
    among (S (S N)) D (fun b => phi (below_of i b) * psi (below_of j b)) = over below phi * over below psi * less 2 N D).
  { intros Z Z' ij Hi Hj. destruct (lt_dec i j); [apply W; assumption|].
    rewrite (over_ext _ _ (fun b => psi (below_of j b) * phi (below_of i b))), W by (assumption || lia || (intros; ring)). ring. }
  clear. intros phi psi N D i j Z Z' ij. assert (last : forall N D, (i <= N)%nat->
    among (S (S N)) D (fun b => phi (below_of i b) * psi (below_of (S N) b)) = over below phi * over below psi * less 2 N D).
  { intros n e Hi. rewrite (at_last (S n) e psi _ (fun b => phi (below_of i b))) by (intros; rewrite below_last, below_before by lia; ring).
    rewrite Z', Rmult_0_l. destruct e; [simpl; ring|]. rewrite at_one by assumption. simpl. ring. }
  revert D; induction N as [|N IH]; intros D Hj; [replace j with 1%nat by lia; apply last; lia|].
  destruct (Nat.eq_dec j (S (S N))) as [->|ne]; [apply last; lia|].
  rewrite (at_last (S (S N)) D (fun _ => 1) _ (fun b => phi (below_of i b) * psi (below_of j b))) by (intros; rewrite !below_before by lia; ring).
  rewrite less_succ, IH by lia. destruct D; [simpl; ring|]. rewrite IH by lia. simpl. ring.
Qed.
(* By the fractions that functions have of what is below. *)
Lemma share_one phi x N D i : phi none = 0 -> over below phi = x * g -> (i < N)%nat ->
  among N D (fun b => phi (below_of i b)) = INR D / INR N * x * c N D.
Proof.
  intros Z e Hi. destruct N as [|N]; [lia|]. rewrite at_one, e by (assumption || lia). assert (P := lt_0_INR (S N) ltac:(lia)).
  destruct D; [simpl (INR 0); simpl less; unfold Rdiv; ring|]. apply Rmult_eq_reg_l with (INR (S N)); [|lra].
  transitivity (x * (INR (S N) * (g * c N D))); [simpl less; ring|]. rewrite c_drawn. field. lra.
Qed.
Lemma share_two phi psi x y N D i j : phi none = 0 -> psi none = 0 -> over below phi = x * g -> over below psi = y * g ->
  i <> j -> (i < N)%nat -> (j < N)%nat ->
  among N D (fun b => phi (below_of i b) * psi (below_of j b)) = INR D * (INR D - 1) / (INR N * (INR N - 1)) * x * y * c N D.
Proof.
  intros Z Z' e e' ij Hi Hj. destruct N as [|[|N]]; try lia. rewrite at_two, e, e' by (assumption || lia). assert (P := lt_0_INR (S N) ltac:(lia)).
  rewrite (S_INR (S N)). destruct D as [|[|D]]; [simpl (INR 0); simpl less; unfold Rdiv; ring | simpl (INR 1); simpl less; unfold Rdiv; ring|].
  apply Rmult_eq_reg_l with ((INR (S N) + 1) * INR (S N)); [|apply Rgt_not_eq, Rmult_lt_0_compat; lra].
  transitivity (x * y * (INR (S (S N)) * (g * (INR (S N) * (g * c N D))))); [rewrite (S_INR (S N)); simpl less; ring|].
  rewrite c_drawn. transitivity (x * y * INR (S D) * (INR (S (S N)) * (g * c (S N) (S D)))); [ring|]. rewrite c_drawn, (S_INR (S D)). field. lra.
Qed.
End Chosen.

(* ---- batches of points ---- *)
Fixpoint drawn (s d : list nat) : Prop :=
  match s, d with N :: r, D :: e => (1 <= D <= N)%nat /\ drawn r e | _, [] => True | [], _ => False end.
Fixpoint in_batch {T} (s d : list T) : list T := match s, d with _ :: r, D :: e => D :: in_batch r e | _, _ => s end.
(* The fraction of the batches that have a point, and of these those that have another. *)
Fixpoint part (s d : list R) : R := match s, d with N :: r, D :: e => D / N * part r e | _, _ => 1 end.
Fixpoint shares (s d : list R) (a : list bool) : R :=
  match s, d, a with
  | _ :: r, _ :: e, true :: b => shares r e b
  | N :: r, D :: e, false :: _ => (D - 1) / (N - 1) * part r e | _, _, _ => 1 end.
Notation every s d := (over (batches s d) (fun _ => 1)).
Lemma every_pos s d : drawn s d -> 0 < every s d.
Proof.
  revert d; induction s as [|N r IH]; intros [|D d] H; simpl in *; try contradiction; try lra. destruct H as [H Hr].
  assert (P := IH d Hr). destruct H as [_ H]. set (l := batches r d) in *. clearbody l. change (0 < c l N D).
  revert D H; induction N as [|N IN]; intros [|e] H; try lia; [unfold c; simpl; lra | rewrite c_succ..].
  - simpl. rewrite Rmult_0_r, Rplus_0_r. apply IN; lia.
  - apply Rplus_le_lt_0_compat; [apply (lin_pos (over_linear _)); intros; lra | apply Rmult_lt_0_compat; [exact P | apply IN; lia]].
Qed.
Lemma part_pos s d : drawn s d -> 0 < part (map INR s) (map INR d).
Proof.
  revert d; induction s as [|N r IH]; intros [|D d] H; simpl in *; try contradiction; try lra. destruct H as [H Hr].
  apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; apply lt_0_INR; lia | apply IH; exact Hr].
Qed.
Definition has (b : batch) (u : point) : R := if b u then 1 else 0.
Lemma with_point s d u : drawn s d -> valid s u ->
  over (batches s d) (fun b => has b u) = part (map INR s) (map INR d) * every s d.
Proof.
  revert d u; induction s as [|N r IH]; intros [|D d] [|i v] H Hu; simpl in *; try contradiction; unfold has; try ring.
  destruct H as [H Hr], Hu as [Hi Hv]. exact (share_one (batches r d) (fun b => has b v) _ N D i eq_refl (IH d v Hr Hv) Hi).
Qed.
Lemma with_pair s d u w : drawn s d -> valid s u -> valid s w ->
  over (batches s d) (fun b => has b u * has b w)
  = shares (map INR s) (map INR d) (agree u w) * (part (map INR s) (map INR d) * every s d).
Proof.
  revert d u w; induction s as [|N r IH]; intros [|D d] [|i v] [|j v'] H Hu Hw; simpl in *; try contradiction; unfold has; try ring.
  destruct H as [H Hr], Hu as [Hi Hv], Hw as [Hj Hw]. assert (P := lt_0_INR N ltac:(lia)). destruct (Nat.eqb_spec i j) as [<-|ij].
  - assert (E := IH d v v' Hr Hv Hw). rewrite <- Rmult_assoc in E.
    transitivity (INR D / INR N * (shares (map INR r) (map INR d) (agree v v') * part (map INR r) (map INR d)) * c (batches r d) N D); [|unfold c; field; lra].
    refine (share_one (batches r d) (fun b => has b v * has b v') _ N D i _ E Hi). unfold has, none. ring.
  - assert (Q : 0 < INR N - 1) by (apply Rlt_Rminus, (lt_INR 1); lia).
    transitivity (INR D * (INR D - 1) / (INR N * (INR N - 1)) * part (map INR r) (map INR d) * part (map INR r) (map INR d) * c (batches r d) N D); [|unfold c; field; lra].
    exact (share_two (batches r d) (fun b => has b v) (fun b => has b v') _ _ N D i j eq_refl eq_refl (with_point r d v Hr Hv) (with_point r d v' Hr Hw) ij Hi Hj).
Qed.

(* What is in a batch, seen from one of its points: as in a structure with D along each such axis. *)
Fixpoint nested (s d : list nat) (f : list bool -> R) : Prop :=
  match s, d with
  | _ :: r, _ :: e => nested r e (fun a => f (true :: a)) /\
      exists v, forall a, length a = length r -> f (false :: a) = v
  | _, _ => True end.
Lemma nested_both (F : R -> R -> R) s d f h : nested s d f -> nested s d h -> nested s d (fun a => F (f a) (h a)).
Proof.
  revert d f h; induction s as [|N r IH]; intros [|D d] f h; simpl; try tauto. intros [A [v Hv]] [B [w Hw]].
  split; [apply IH; assumption|]. exists (F v w). intros a e. rewrite Hv, Hw by exact e. reflexivity.
Qed.
Lemma chosen_in below N D b (psi : batch -> R) v : In b (chosen N D below) ->
  psi none = 0 -> (forall b', In b' below -> psi b' = v) ->
  sum N (fun i => psi (below_of i b)) = INR D * v /\
  forall i, (i < N)%nat -> below_of i b = none \/ In (below_of i b) below.
Proof.
  intros I Z V. revert D b I; induction N as [|N IH]; simpl; intros D b I.
  - destruct D; [split; [simpl; ring | lia] | destruct I].
  - assert (S : forall b1 b2 x, In b2 (chosen N x below) -> b = added N b1 b2 -> (b1 = none \/ In b1 below) ->
      sum N (fun i => psi (below_of i b)) + psi (below_of N b) = INR x * v + psi b1 /\
      forall i, (i < S N)%nat -> below_of i b = none \/ In (below_of i b) below).
    { intros b1 b2 x I2 -> I1. destruct (IH x b2 I2) as [A B]. split.
      - rewrite below_added, Nat.eqb_refl, <- A. f_equal. apply sum_ext; intros i Hi. rewrite below_added.
        destruct (Nat.eqb_spec i N); [lia | reflexivity].
      - intros i Hi. rewrite below_added. destruct (Nat.eqb_spec i N); [exact I1 | apply B; lia]. }
    apply in_app_or in I. destruct I as [I|I].
    + apply in_map_iff in I as [b2 [<- I2]]. destruct (S none b2 D I2 eq_refl (or_introl eq_refl)) as [A B].
      split; [rewrite A, Z; ring | exact B].
    + destruct D as [|e]; [destruct I|]. apply in_flat_map in I as [b1 [I1 I]]. apply in_map_iff in I as [b2 [<- I2]].
      destruct (S b1 b2 e I2 eq_refl (or_intror I1)) as [A B]. split; [rewrite A, V, S_INR by exact I1; ring | exact B].
Qed.
Definition total_in (s : list nat) (b : batch) (f : point -> R) : R := total s (fun w => if b w then f w else 0).
Lemma within_none s f : total_in s none f = 0. Proof. apply (lin_zero (total_linear s)). Qed.
Lemma row_same r f v : (forall a, length a = length r -> f a = v) -> row r f = v * row r (fun _ => 1).
Proof.
  revert f; induction r; simpl; intros f e; [rewrite e by reflexivity; ring|].
  rewrite (IHr (fun b => f (true :: b))), (IHr (fun b => f (false :: b))) by (intros; apply e; simpl; congruence). ring.
Qed.
Lemma in_batch_length {T} (s d : list T) : length (in_batch s d) = length s.
Proof. revert d; induction s; intros [|D d]; simpl; auto. Qed.
Lemma row_one s : row (map INR s) (fun _ => 1) = total s (fun _ => 1).
Proof. induction s; simpl; [reflexivity|]. rewrite sum_const, IHs. ring. Qed.
Lemma batch_size s d b : In b (batches s d) -> total_in s b (fun _ => 1) = row (map INR (in_batch s d)) (fun _ => 1).
Proof.
  revert d b; induction s as [|N r IH]; intros [|D d] b I; try (destruct I as [<-|[]]; unfold total_in; rewrite row_one; reflexivity).
  simpl in I |- *. destruct (chosen_in _ _ _ _ (fun b => total_in r b (fun _ => 1)) _ I (within_none _ _) (IH d)) as [A _].
  unfold total_in in *. simpl. unfold below_of in A. rewrite A. ring.
Qed.
Lemma within_row s d b u f : In b (batches s d) -> nested s d f -> valid s u -> b u = true ->
  total_in s b (fun w => f (agree u w)) = row (map INR (in_batch s d)) f.
Proof.
  revert d b u f; induction s as [|N r IH]; intros [|D d] b u f I Nf Hu Hb;
    try (destruct I as [<-|[]]; exact (total_agree _ f u Hu)).
  destruct u as [|i v]; [destruct Hu|]. destruct Hu as [Hi Hv], Nf as [Nf [x Hx]]. simpl in I.
  destruct (chosen_in _ _ _ _ (fun b => total_in r b (fun _ => 1)) _ I (within_none _ _) (batch_size r d)) as [A B].
  set (m := row (map INR (in_batch r d)) (fun _ => 1)) in *.
  assert (own : total_in r (below_of i b) (fun w => f (true :: agree v w)) = row (map INR (in_batch r d)) (fun a => f (true :: a))).
  { destruct (B i Hi) as [E|E]; [exfalso; assert (Q : below_of i b v = true) by exact Hb; rewrite E in Q; discriminate|].
    apply (IH d _ v (fun a => f (true :: a))); assumption. }
  assert (sizes : total_in r (below_of i b) (fun _ => 1) = m).
  { destruct (B i Hi) as [E|E]; [exfalso; assert (Q : below_of i b v = true) by exact Hb; rewrite E in Q; discriminate|]. apply batch_size; exact E. }
  transitivity (sum N (fun j => (if Nat.eqb i j then total_in r (below_of i b) (fun w => f (true :: agree v w)) - x * m else 0) + x * total_in r (below_of j b) (fun _ => 1))).
  - apply sum_ext; intros j Hj. destruct (Nat.eqb_spec i j) as [<-|ne].
    + rewrite sizes. cbn [agree]. rewrite Nat.eqb_refl. unfold total_in, below_of. fold total. ring.
    + rewrite Rplus_0_l. unfold total_in. rewrite <- total_scal. fold total. apply total_ext; intros w Hw. cbn [agree]. unfold below_of.
      apply Nat.eqb_neq in ne. rewrite ne. destruct (b (j :: w)); [|ring]. rewrite Hx by (apply agree_length; assumption). ring.
  - rewrite sum_plus, sum_pick, sum_scal, A, own by exact Hi. simpl.
    rewrite (row_same _ (fun a => f (false :: a)) x). { fold m. ring. }
    intros a e. apply Hx. rewrite e, map_length. apply in_batch_length.
Qed.

Lemma batch_part s d : drawn s d -> row (map INR (in_batch s d)) (fun _ => 1) = part (map INR s) (map INR d) * total s (fun _ => 1).
Proof.
  revert d; induction s as [|N r IH]; intros [|D d] H; try (destruct H; fail).
  { simpl; ring. }
  { simpl in_batch. rewrite row_one. cbn [part map]. ring. }
  destruct H as [H Hr]. assert (0 < INR N) by (apply lt_0_INR; lia). simpl. rewrite IH, sum_const by exact Hr. field. lra.
Qed.

(* The gradient by relation, times tau. *)
Definition batch_gradient (sizes draws : list R) (tau : R) (terms : list term) (h : list bool -> R) (a : list bool) : R :=
  shares sizes draws a * over terms (fun t => weight t * (denominator t a * exp (h a / tau) / partition (in_batch sizes draws) tau h t
    - positives t a / row (in_batch sizes draws) (positives t))).

Ltac nest := simpl; repeat match goal with |- _ /\ _ => split end; try exact I; eexists;
  intros a_ e_; each_pattern a_ e_; reflexivity.

Lemma zero_over x : 0 / x = 0. Proof. unfold Rdiv. ring. Qed.
(* ---- any batches of one size, in which what an anchor sees depends on a number ---- *)
Section Mean.
Variables (s d : list nat) (every : list batch) (seen : batch -> point -> nat) (S F : R).
Variables (draws : nat -> list R) (possible : nat -> Prop) (E : (nat -> R) -> R).
Hypothesis one : forall N, In N s -> (1 <= N)%nat.
Hypothesis S_pos : 0 < S.
Hypothesis F_pos : 0 < F.
Hypothesis F_is : F * total s (fun _ => 1) = S * INR (length every).
Hypothesis alike : forall b, In b every -> total_in s b (fun _ => 1) = S.
Notation Rs := (map INR s).
Notation inside k := (in_batch Rs (draws k)).
Hypothesis rows : forall b u f, In b every -> nested s d f -> valid s u -> b u = true ->
  possible (seen b u) /\ total_in s b (fun w => f (agree u w)) = row (inside (seen b u)) f.
Hypothesis pairs : forall u w g, valid s u -> valid s w ->
  over every (fun b => has b u * has b w * g (seen b u)) = F * E (fun k => shares Rs (draws k) (agree u w) * g k).

Variables (tau : R) (terms : nat -> list term) (h : list bool -> R).
Notation having u := (filter (fun b : batch => b u) every).
Definition batch_anchors (u : point) (x : point -> R) : R :=
  over (having u) (fun b => / F * over (terms (seen b u)) (batch_anchor_loss s tau b (fun _ => x) u)).
Theorem batch_mean : mean_over every s tau (fun b u => terms (seen b u)) = mean_loss s batch_anchors.
Proof.
  extensionality H. unfold mean_over, mean_loss, batch_anchors. assert (P := size_pos s one).
  rewrite (total_ext s (fun u => over _ _) (fun u => / F * over every (fun b => if b u then over (terms (seen b u)) (batch_anchor_loss s tau b H u) else 0)))
    by (intros; rewrite over_scal, over_filter; reflexivity).
  rewrite total_scal, (lin_over (total_linear s)).
  rewrite (over_ext every _ (fun b => / S * total s (fun u => if b u then over (terms (seen b u)) (batch_anchor_loss s tau b H u) else 0))).
  - assert (0 < INR (length every)) by (apply Rmult_lt_reg_l with S; [exact S_pos|]; rewrite Rmult_0_r, <- F_is; apply Rmult_lt_0_compat; assumption).
    rewrite over_scal. set (n := total s (fun _ => 1)) in *. replace F with (S * INR (length every) / n) by (rewrite <- F_is; field; lra). field. lra.
  - intros b I. assert (B := alike b I). unfold total_in in B. rewrite B. unfold Rdiv. ring.
Qed.

Hypothesis tau_pos : 0 < tau.
Hypothesis ok : forall k, possible k -> convex (inside k) tau (terms k) h.
Hypothesis nest : nested s d h /\ forall k t, In t (terms k) -> nested s d (denominator t) /\ nested s d (positives t).
Lemma of_having b u f : In b (having u) -> valid s u -> nested s d f ->
  possible (seen b u) /\ total s (fun w => has b w * f (agree u w)) = row (inside (seen b u)) f.
Proof.
  intros I Hu Nf. apply filter_In in I as [I Hb]. destruct (rows b u f I Nf Hu Hb) as [P <-]. split; [exact P|].
  apply total_ext; intros w _. unfold has. destruct (b w); ring.
Qed.
Theorem batch_smooth : smooth_at s batch_anchors (fun a => E (fun k => batch_gradient Rs (draws k) tau (terms k) h a)) h (/ tau).
Proof.
  split; [apply Rinv_0_lt_compat, tau_pos|]. intros u Hu. assert (L := total_linear s). destruct nest as [Nh Nt].
  assert (Z : forall b t, In b (having u) -> In t (terms (seen b u)) -> possible (seen b u) /\
    total s (fun w => has b w * denominator t (agree u w) * exp (h (agree u w) / tau)) = partition (inside (seen b u)) tau h t).
  { intros b t Hb Ht. unfold partition. destruct (of_having b u _ Hb Hu (nested_both (fun x y => x * exp (y / tau)) s d _ _ (proj1 (Nt _ t Ht)) Nh)) as [P <-].
    split; [exact P|]. apply total_ext; intros. ring. }
  refine (soft_convex L (nested_linear (okW := fun q => In (fst q) (having u) /\ In (snd q) (terms (seen (fst q) u))) pair
    (over_linear (having u)) (fun b => over_linear (terms (seen b u))) _) tau (fun q => / F * weight (snd q)) (fun q w => has (fst q) w * denominator (snd q) (agree u w))
    (fun q w => has (fst q) w * (positives (snd q) (agree u w) / row (inside (seen (fst q) u)) (positives (snd q)))) _ _ _ _ _ _ _).
  - intros; split; assumption.
  - intro f. rewrite (lin_over L). apply over_ext; intros b _. apply (lin_over L (terms (seen b u)) (fun w t => f w (b, t))).
  - intros [b t] [Hb Ht]. cbn [fst snd] in *. destruct (Z b t Hb Ht) as [P ->]. repeat split.
    + apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, F_pos | apply (weights _ _ _ _ (ok _ P)); exact Ht].
    + intros w _. apply Rmult_le_pos; [unfold has; destruct (b w); lra | apply (denominators _ _ _ _ (ok _ P)); exact Ht].
    + apply (partitions _ _ _ _ (ok _ P)); exact Ht.
  - intro x. apply over_ext; intros b Hb. rewrite <- over_scal. apply over_ext; intros t Ht. unfold batch_anchor_loss. cbn [fst snd].
    assert (Q : forall f, total s (fun w => if b w then f w else 0) = total s (fun w => has b w * f w)) by (intro; apply total_ext; intros w _; unfold has; destruct (b w); ring).
    destruct (of_having b u _ Hb Hu (proj2 (Nt _ t Ht))) as [_ E']. rewrite !Q, E', Rmult_assoc. do 3 f_equal; [f_equal; apply total_ext; intros; ring|].
    unfold Rdiv. rewrite Rmult_comm, <- total_scal. apply total_ext; intros. ring.
  - intros w Hw. unfold batch_gradient. f_equal. set (G := fun k => over (terms k) (fun t => weight t *
      (denominator t (agree u w) * exp (h (agree u w) / tau) / partition (inside k) tau h t - positives t (agree u w) / row (inside k) (positives t)))).
    rewrite (over_ext (having u) _ (fun b => / F * (has b w * G (seen b u)))), over_scal, over_filter.
    + rewrite (over_ext every _ (fun b => has b u * has b w * G (seen b u))), pairs by (assumption || (intros b _; unfold has; destruct (b u); ring)). rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. reflexivity.
    + intros b Hb. unfold G. rewrite <- !over_scal. apply over_ext; intros t Ht. cbn [fst snd].
      destruct (Z b t Hb Ht) as [_ ->]. unfold Rdiv. ring.
Qed.
End Mean.

(* Where all batches are composed alike. *)
Section Alike.
Variables (s d : list nat).
Hypothesis one : forall N, In N s -> (1 <= N)%nat.
Hypothesis dr : drawn s d.
Notation Rs := (map INR s).
Notation Rd := (map INR d).
Notation F := (part Rs Rd * every s d).
Variables (tau : R) (terms : list term) (h : list bool -> R).
Notation anchors := (batch_anchors s (batches s d) (fun _ _ => O) F tau (fun _ => terms)).
Lemma F_alike : 0 < F. Proof. apply Rmult_lt_0_compat; [apply part_pos | apply every_pos]; exact dr. Qed.
Theorem alike_mean : batch_loss s d tau terms = mean_loss s anchors.
Proof.
  assert (Q := part_pos s d dr). assert (P := size_pos s one).
  refine (batch_mean s _ (fun _ _ => O) (part Rs Rd * total s (fun _ => 1)) F one _ F_alike _ _ tau (fun _ => terms)).
  - apply Rmult_lt_0_compat; assumption.
  - rewrite <- over_one. ring.
  - intros b I. rewrite (batch_size s d b I). apply batch_part, dr.
Qed.
Hypothesis ok : convex (in_batch Rs Rd) tau terms h.
Hypothesis nest : nested s d h /\ forall t, In t terms -> nested s d (denominator t) /\ nested s d (positives t).
Theorem alike_smooth : smooth_at s anchors (batch_gradient Rs Rd tau terms h) h (/ tau).
Proof.
  refine (batch_smooth s d _ (fun _ _ => O) F (fun _ => Rd) (fun _ => True) (fun f => f O) F_alike _ _ tau (fun _ => terms) h (tau_pos _ _ _ _ ok) (fun _ _ => ok) (conj (proj1 nest) (fun _ => proj2 nest))).
  - intros b u f I Nf Hu Hb. split; [exact Logic.I|]. rewrite (within_row s d b u f I Nf Hu Hb). f_equal. clear. revert d; induction s; intros [|D e]; simpl; congruence.
  - intros u w g Hu Hw. rewrite (over_ext _ _ (fun b => g O * (has b u * has b w))), over_scal, with_pair by (assumption || (intros; ring)). ring.
Qed.
End Alike.

(* A mean of gradients has the means of their levels and of their eigenvalues. *)
Section Means.
Context {P : Type} {ok : P -> Prop} {E : (P -> R) -> R} (L : linear ok E).
Lemma row_mean s f : row s (fun a => E (fun k => f k a)) = E (fun k => row s (f k)).
Proof. revert f; induction s; intro f; simpl; [reflexivity|]. rewrite !IHs, <- (lin_scal L), <- (lin_plus L). reflexivity. Qed.
Lemma level_mean s G h : level s (fun a => E (fun k => G k a)) h = E (fun k => level s (G k) h).
Proof. unfold level. rewrite <- row_mean. apply row_ext; intros a _. rewrite Rmult_comm, <- (lin_scal L). apply (lin_ext L); intros; ring. Qed.
Lemma eigen_mean s ks G : eigen s ks (fun a => E (fun k => G k a)) = E (fun k => eigen s ks (G k)).
Proof.
  revert ks G; induction s as [|N s IH]; intros [|k ks] G; try reflexivity. simpl. rewrite <- IH. f_equal. extensionality a.
  destruct k; simpl; rewrite <- ?(lin_scal L), <- ?(lin_plus L), <- ?(lin_minus L); reflexivity.
Qed.
End Means.

(* ---- random batches: how many subsets have a number of marked elements ---- *)
Lemma choose_0 N : choose N 0 = 1. Proof. destruct N; reflexivity. Qed.
Lemma choose_sign N : forall D, 0 <= choose N D /\ ((D <= N)%nat -> 0 < choose N D) /\ ((N < D)%nat -> choose N D = 0).
Proof.
  induction N as [|N IH]; intros [|D]; simpl; try (repeat split; intros; lra || lia).
  destruct (IH D) as [A [B C]], (IH (S D)) as [A' [B' C']]. repeat split; intros; try lra.
  - assert (0 < choose N D) by (apply B; lia). lra.
  - rewrite C, C' by lia. ring.
Qed.
Lemma choose_absorb N : forall D, INR (S D) * choose (S N) (S D) = INR (S N) * choose N D.
Proof.
  induction N as [|N IH]; intro D; [destruct D; simpl; ring|].
  change (choose (S (S N)) (S D)) with (choose (S N) D + choose (S N) (S D)). rewrite Rmult_plus_distr_l, IH.
  destruct D as [|D]; [rewrite !choose_0, !S_INR; simpl (INR 0); ring|]. assert (A := IH D). rewrite (S_INR (S D)), (S_INR (S N)).
  change (choose (S N) (S D)) with (choose N D + choose N (S D)) in A |- *. lra.
Qed.
Lemma sum_first n f : sum (S n) f = f O + sum n (fun k => f (S k)).
Proof. induction n; [simpl; ring|]. change (sum (S (S n)) f) with (sum (S n) f + f (S n)). rewrite IHn. simpl. ring. Qed.
Lemma count_marked {T} (q : T -> bool) g (l : list T) : forall D, over (subsets D l) (fun a => g (length (filter q a)))
  = sum (S D) (fun k => choose (length (filter q l)) k * choose (length (filter (fun x => negb (q x)) l)) (D - k) * g k).
Proof.
  revert g; induction l as [|x l IH]; intros g D.
  { destruct D; [simpl; ring|]. simpl subsets. rewrite (sum_ext _ _ (fun _ => 0)), sum_const; [simpl; ring|].
    intros k Hk. simpl length. destruct k; simpl; [ring|]. ring. }
  destruct D as [|D]; [simpl subsets; rewrite IH; simpl; rewrite !choose_0; ring|]. simpl subsets. rewrite over_app, over_map. simpl filter.
  rewrite IH. destruct (q x); simpl length; simpl negb; cbv iota.
  - rewrite (IH (fun k => g (S k))), !(sum_first (S D)), <- Rplus_assoc, (Rplus_comm (sum (S D) _)), Rplus_assoc, <- sum_plus.
    rewrite !choose_0. f_equal. apply sum_ext; intros k _. simpl. ring.
  - rewrite IH. change (sum (S (S D)) ?f) with (sum (S D) f + f (S D)). rewrite <- Rplus_assoc, <- sum_plus. rewrite Nat.sub_diag, !choose_0. f_equal.
    apply sum_ext; intros k Hk. rewrite Nat.sub_succ_l by lia. simpl. ring.
Qed.
Lemma count_subsets {T} (l : list T) : forall D, INR (length (subsets D l)) = choose (length l) D.
Proof. induction l; intros [|D]; simpl; try reflexivity; [rewrite IHl; apply choose_0|]. rewrite app_length, map_length, plus_INR, !IHl. reflexivity. Qed.
Lemma subset_of {T} (l a : list T) D : In a (subsets D l) -> length a = D /\ incl a l /\ (NoDup l -> NoDup a).
Proof.
  assert (W : forall x (a l : list T), incl a l -> incl (x :: a) (x :: l)) by (intros x b m H y [->|Hy]; [left; reflexivity | right; apply H, Hy]).
  revert D a; induction l as [|x l IH]; intros [|D] a H; simpl in H.
  - destruct H as [<-|[]]. repeat split; [intros y [] | intro; assumption].
  - destruct H.
  - destruct (IH _ _ H) as [A [B C]]. repeat split; [exact A | intros y Hy; right; apply B, Hy | intro N; apply C; inversion N; assumption].
  - apply in_app_or in H as [H|H].
    + apply in_map_iff in H as [b [<- H]]. destruct (IH _ _ H) as [A [B C]]. repeat split; [simpl; congruence | apply W, B |].
      intro N. inversion N; subst. constructor; [intro K; apply H2, B, K | apply C; assumption].
    + destruct (IH _ _ H) as [A [B C]]. repeat split; [exact A | intros y Hy; right; apply B, Hy | intro N; apply C; inversion N; assumption].
Qed.
Lemma over_subsets_perm {T} (l l' : list T) : Permutation l l' -> forall D F, (forall a a', Permutation a a' -> F a = F a') ->
  over (subsets D l) F = over (subsets D l') F.
Proof.
  intro P. induction P; intros D F inv; [reflexivity | | |].
  - destruct D; simpl; [apply IHP, inv|]. rewrite !over_app, !over_map, (IHP D (fun a => F (x :: a))), (IHP (S D)); trivial.
    intros a a' Pa. apply inv, perm_skip, Pa.
  - destruct D as [|[|D]]; simpl; try reflexivity; rewrite ?map_app, ?over_app, ?over_map; rewrite ?over_map; [ring|].
    rewrite (over_ext _ (fun a => F (y :: x :: a)) (fun a => F (x :: y :: a))) by (intros; apply inv, perm_swap). ring.
  - rewrite IHP1, IHP2; trivial.
Qed.
(* An element that is in all of them, first. *)
Lemma subsets_with {T} (l : list T) x D F : In x l -> (forall a a', Permutation a a' -> F a = F a') -> (forall a, ~ In x a -> F a = 0) -> NoDup l ->
  exists r, Permutation l (x :: r) /\ over (subsets (S D) l) F = over (subsets D r) (fun a => F (x :: a)) /\ over (subsets O l) F = 0.
Proof.
  intros I inv Z N. destruct (in_split _ _ I) as [l1 [l2 ->]]. exists (l1 ++ l2). assert (P := Permutation_sym (Permutation_middle l1 l2 x)).
  assert (V : forall d, over (subsets d (l1 ++ l2)) F = 0).
  { intro d. transitivity (over (subsets d (l1 ++ l2)) (fun _ => 0)); [|apply (lin_zero (over_linear _))]. apply over_ext; intros a Ha. apply Z. intro K.
    apply (proj1 (proj2 (subset_of _ _ _ Ha))) in K. apply (Permutation_NoDup P) in N. inversion N. contradiction. }
  split; [exact P|]. rewrite !(over_subsets_perm _ _ P) by exact inv. simpl. rewrite over_app, over_map, !V. split; ring.
Qed.

Lemma instance_spec x y : same_instance x y = true <-> x = y.
Proof. destruct x, y. unfold same_instance. simpl. rewrite Bool.andb_true_iff, !Nat.eqb_eq. split; [intros [-> ->]; reflexivity | intro e; injection e; auto]. Qed.
Lemma has_instance a i j v : of_instances a (i :: j :: v) = true <-> In (i, j) a.
Proof.
  simpl. rewrite existsb_exists. split; [intros [y [I e]]; apply instance_spec in e; subst; exact I | intro I; exists (i, j); split; [exact I | apply instance_spec; reflexivity]].
Qed.
Lemma instances_perm a a' : Permutation a a' -> of_instances a = of_instances a'.
Proof.
  intro P. extensionality u. destruct u as [|i [|j v]]; try reflexivity. apply Bool.eq_iff_eq_true. rewrite !has_instance.
  split; apply Permutation_in; [exact P | apply Permutation_sym, P].
Qed.
Lemma perm_filter {T} (q : T -> bool) l l' : Permutation l l' -> length (filter q l) = length (filter q l').
Proof. induction 1; simpl; try congruence; [destruct (q x) | destruct (q x), (q y)]; simpl; congruence. Qed.
Lemma filter_parts {T} (q : T -> bool) l : (length (filter q l) + length (filter (fun x => negb (q x)) l) = length l)%nat.
Proof. induction l; simpl; [reflexivity|]. destruct (q a); simpl; lia. Qed.

Lemma once_app {T} (l l' : list T) : NoDup l -> NoDup l' -> (forall x, In x l -> ~ In x l') -> NoDup (l ++ l').
Proof.
  induction 1 as [|x l I N IH]; simpl; intros N' h; [exact N'|]. constructor; [|apply IH; auto]. intro K. apply in_app_or in K as [K|K]; [exact (I K) | exact (h x (or_introl eq_refl) K)].
Qed.
Lemma in_batch_nil {T} (s : list T) : in_batch s [] = s. Proof. destruct s; reflexivity. Qed.
Lemma part_nil s : part s [] = 1. Proof. destruct s; reflexivity. Qed.
Lemma shares_nil s a : shares s [] a = 1. Proof. destruct s; reflexivity. Qed.
Section Random.
Variables (M N : nat) (r : list nat) (B : nat).
Notation s := (M :: N :: r).
Hypothesis two : (2 <= M)%nat /\ (2 <= N)%nat.
Hypothesis B_range : (1 <= B <= M * N)%nat.
Notation all := (list_prod (seq 0 M) (seq 0 N)).
Notation of_class i := (fun y : instance => Nat.eqb (fst y) i).
Definition draws_seeing (k : nat) : list R := [INR B / (INR k + 1); INR k + 1].
Definition possible (k : nat) : Prop := (k <= B - 1)%nat /\ (k <= N - 1)%nat.
Notation mean := (hypergeometric (N - 1) (B - 1) (M * N - 1)).
Notation F := (choose (M * N - 1) (B - 1)).
Notation T := (total r (fun _ => 1)).

Lemma all_in i j : In (i, j) all <-> (i < M)%nat /\ (j < N)%nat.
Proof. rewrite in_prod_iff, !in_seq. lia. Qed.
Lemma all_once : NoDup all.
Proof.
  assert (Na := seq_NoDup M 0). induction Na as [|x a I Na IH]; simpl; [constructor|]. apply once_app; [|exact IH|].
  - apply FinFun.Injective_map_NoDup; [intros y z e; injection e; auto | apply seq_NoDup].
  - intros [y z] H K. apply in_map_iff in H as [w [e _]]. injection e as <- _. apply in_prod_iff in K as [K _]. exact (I K).
Qed.
Lemma class_size i : (i < M)%nat -> length (filter (of_class i) all) = N.
Proof.
  intro Hi. assert (I : In i (seq 0 M)) by (apply in_seq; lia). revert I. assert (Na := seq_NoDup M 0). induction Na as [|x a Nx Na IH]; simpl; [contradiction|].
  assert (W : forall x b, length (filter (of_class i) (map (fun y => (x, y)) b)) = if Nat.eqb x i then length b else O).
  { intros z b. induction b; simpl; [destruct (Nat.eqb z i); reflexivity|]. destruct (Nat.eqb z i); simpl; rewrite IHb; reflexivity. }
  rewrite filter_app, app_length, W, seq_length. intros [->|I].
  - rewrite Nat.eqb_refl. replace (length _) with O; [lia|]. symmetry. apply length_zero_iff_nil.
    destruct (filter (of_class i) (list_prod a (seq 0 N))) as [|[y z] l] eqn:E; [reflexivity|].
    assert (K : In (y, z) (filter (of_class i) (list_prod a (seq 0 N)))) by (rewrite E; left; reflexivity).
    apply filter_In in K as [K e]. apply Nat.eqb_eq in e. simpl in e. subst y. apply in_prod_iff in K as [K _]. contradiction.
  - destruct (Nat.eqb_spec x i) as [->|_]; [contradiction | apply IH, I].
Qed.
(* The others of its class that an anchor has in a batch. *)
Lemma others_are a i j v : incl ((i, j) :: a) all -> NoDup ((i, j) :: a) -> others s (of_instances ((i, j) :: a)) (i :: j :: v) = length (filter (of_class i) a).
Proof.
  intros inc nd. assert (nj := nd). inversion nj as [|? ? ni na]; subst. simpl others. rewrite <- (map_length (fun k => (i, k))). apply Permutation_length, NoDup_Permutation.
  - apply FinFun.Injective_map_NoDup; [intros y z e; injection e; auto | apply NoDup_filter, seq_NoDup].
  - apply NoDup_filter, na.
  - intros [x y]. rewrite in_map_iff, filter_In. simpl. split.
    + intros [k [e K]]. injection e as <- ->. apply filter_In in K as [_ K]. apply Bool.andb_true_iff in K as [ne K]. apply (proj1 (existsb_exists _ ((i, j) :: a))) in K as [z [K e]].
      apply instance_spec in e. subst z. split; [|apply Nat.eqb_refl]. destruct K as [e|K]; [injection e as <-; rewrite Nat.eqb_refl in ne; discriminate | exact K].
    + intros [K e]. apply Nat.eqb_eq in e. subst x. exists y. split; [reflexivity|]. apply filter_In. split; [apply in_seq; assert (H := inc _ (or_intror K)); apply all_in in H; lia|].
      apply Bool.andb_true_iff. split; [apply Bool.negb_true_iff, Nat.eqb_neq; intros ->; contradiction | apply (proj2 (existsb_exists _ ((i, j) :: a))); exists (i, y); split; [right; exact K | apply instance_spec; reflexivity]].
Qed.
Lemma total_of_class i : (i < M)%nat -> length (filter (fun x => negb (of_class i x)) all) = (M * N - N)%nat.
Proof. intro Hi. assert (P := filter_parts (of_class i) all). assert (Q := prod_length (seq 0 M) (seq 0 N)). rewrite !seq_length in Q. rewrite class_size in P by exact Hi. lia. Qed.
(* What is on one instance, and on those of a batch. *)
Lemma on_instances a G : incl a all -> NoDup a ->
  total_in s (of_instances a) G = over a (fun y => total r (fun v => G (fst y :: snd y :: v))).
Proof.
  intros inc nd. induction nd as [|[i j] a I nd IH]; [transitivity (total_in s none G); [f_equal; extensionality u; destruct u as [|i [|j v]]; reflexivity | apply within_none]|]. simpl over. rewrite <- IH by (intros y Hy; apply inc; right; exact Hy).
  assert (H := inc _ (or_introl eq_refl)). apply all_in in H as [Hi Hj]. unfold total_in.
  rewrite <- (sum_pick M i (fun i => total r (fun v => G (i :: j :: v))) Hi).
  rewrite (sum_ext M _ (fun k => sum N (fun l => if Nat.eqb j l then if Nat.eqb i k then total r (fun v => G (k :: l :: v)) else 0 else 0))) by (intros; rewrite (sum_pick N j (fun l => if Nat.eqb i _ then _ else 0)) by exact Hj; reflexivity).
  simpl total. rewrite <- sum_plus. apply sum_ext; intros k _. rewrite <- sum_plus. apply sum_ext; intros l _.
  transitivity (total r (fun v => (if Nat.eqb j l then if Nat.eqb i k then G (k :: l :: v) else 0 else 0) + (if existsb (same_instance (k, l)) a then G (k :: l :: v) else 0))).
  - apply total_ext; intros v _. simpl. unfold same_instance at 1. simpl. rewrite (Nat.eqb_sym k i), (Nat.eqb_sym l j).
    destruct (Nat.eqb_spec i k) as [<-|]; destruct (Nat.eqb_spec j l) as [<-|]; simpl; try ring.
    destruct (existsb (same_instance (i, j)) a) eqn:e; [|ring]. exfalso. apply I, (proj1 (has_instance a i j []) e).
  - rewrite total_plus. f_equal. destruct (Nat.eqb j l), (Nat.eqb i k); try reflexivity; apply (lin_zero (total_linear r)).
Qed.
Lemma batch_is b : In b (random_batches s B) -> exists a, b = of_instances a /\ In a (subsets B all) /\ length a = B /\ incl a all /\ NoDup a.
Proof.
  intro I. apply in_map_iff in I as [a [<- I]]. exists a. destruct (subset_of _ _ _ I) as [L [inc nd]]. repeat split; auto. apply nd, all_once.
Qed.
Lemma random_alike b : In b (random_batches s B) -> total_in s b (fun _ => 1) = INR B * T.
Proof. intro I. destruct (batch_is b I) as [a [-> [_ [L [inc nd]]]]]. rewrite on_instances, <- L by assumption. rewrite <- over_one, (Rmult_comm (over a _)), <- over_scal. apply over_ext; intros; ring. Qed.
Lemma random_rows b u f : In b (random_batches s B) -> nested s [0; 0]%nat f -> valid s u -> b u = true ->
  possible (others s b u) /\ total_in s b (fun w => f (agree u w)) = row (in_batch (map INR s) (draws_seeing (others s b u))) f.
Proof.
  intros I [[_ [x Hx]] [y Hy]] Hu Hb. destruct (batch_is b I) as [a [-> [_ [L [inc nd]]]]]. destruct u as [|i [|j v]]; try discriminate.
  apply has_instance in Hb. destruct (in_split _ _ Hb) as [a1 [a2 e]]. assert (P : Permutation a ((i, j) :: a1 ++ a2)) by (rewrite e; apply Permutation_sym, Permutation_middle).
  rewrite (instances_perm _ _ P). set (a' := a1 ++ a2) in *. clearbody a'. assert (nd' := Permutation_NoDup P nd).
  assert (inc' : incl ((i, j) :: a') all) by (intros z Hz; apply inc, (Permutation_in _ (Permutation_sym P)), Hz).
  assert (L' : length a' = (B - 1)%nat) by (apply Permutation_length in P; simpl in P; lia).
  rewrite others_are, on_instances by assumption. destruct Hu as [Hi [Hj Hv]]. set (k := length (filter (of_class i) a')). split.
  - split; [unfold k; rewrite <- L'; assert (P' := filter_parts (of_class i) a'); rewrite <- P'; apply Nat.le_add_r|].
    assert (C : (S k <= N)%nat); [|lia]. rewrite <- (class_size i Hi). replace (S k) with (length (filter (of_class i) ((i, j) :: a'))) by (simpl; rewrite Nat.eqb_refl; reflexivity).
    apply NoDup_incl_length; [apply NoDup_filter, nd' | intros z Hz; apply filter_In in Hz as [Hz c]; apply filter_In; auto].
  - cbn [over map in_batch draws_seeing row fst snd agree]. rewrite in_batch_nil, !Nat.eqb_refl, (total_agree r (fun b => f (true :: true :: b)) v Hv).
    set (own := row _ _). assert (E : over a' (fun z => total r (fun w => f (Nat.eqb i (fst z) :: Nat.eqb j (snd z) :: agree v w))) = (x * INR k + y * (INR (B - 1) - INR k)) * T).
    { unfold k. rewrite <- L'. inversion nd' as [|? ? ni na]; subst. clear - ni Hv Hx Hy.
      induction a' as [|[i' j'] a' IH]; [simpl; ring|]. assert (ni' : ~ In (i, j) a') by (intro K; apply ni; right; exact K).
      cbn [over filter length fst snd]. rewrite (IH ni'), (Nat.eqb_sym i' i). rewrite S_INR. destruct (Nat.eqb_spec i i') as [<-|ne].
      - cbn [length]. rewrite S_INR. assert (j <> j') by (intros <-; apply ni; left; reflexivity). apply Nat.eqb_neq in H. rewrite H.
        rewrite (total_ext r _ (fun _ => x * 1)), total_scal by (intros w Hw; rewrite Rmult_1_r; apply Hx; exact (agree_length r v w Hv Hw)). ring.
      - rewrite (total_ext r _ (fun _ => y * 1)), total_scal by (intros w Hw; rewrite Rmult_1_r; apply Hy; cbn [length]; f_equal; exact (agree_length r v w Hv Hw)). ring. }
    rewrite E, !(row_same _ (fun b => f (true :: false :: b)) x), !(row_same _ (fun b => f (false :: _ :: b)) y), row_one.
    + rewrite minus_INR by lia. assert (Q := pos_INR k). simpl (INR 1). field. lra.
    + intros; apply Hy; cbn [length]; f_equal; rewrite map_length in *; assumption.
    + intros; apply Hy; cbn [length]; f_equal; rewrite map_length in *; assumption.
    + intros; apply Hx; rewrite map_length in *; assumption.
Qed.
Lemma F_pos : 0 < F. Proof. apply (choose_sign (M * N - 1)); lia. Qed.
Lemma random_F : F * total s (fun _ => 1) = INR B * T * INR (length (random_batches s B)).
Proof.
  unfold random_batches. rewrite map_length, count_subsets, prod_length, !seq_length. simpl total.
  rewrite (sum_ext M _ (fun _ => INR N * T)), sum_const by (intros; apply sum_const). assert (A := choose_absorb (M * N - 1) (B - 1)).
  replace (S (M * N - 1)) with (M * N)%nat in A by nia. replace (S (B - 1)) with B in A by lia. rewrite mult_INR in A.
  transitivity (INR M * INR N * F * T); [ring|]. rewrite <- A. ring.
Qed.
Lemma mean_linear : linear possible mean.
Proof.
  assert (P := F_pos). assert (Z : forall f, mean f = / F * sum (S (B - 1)) (fun k => choose (N - 1) k * choose (M * N - 1 - (N - 1)) (B - 1 - k) * f k)) by (intro; unfold hypergeometric, Rdiv; ring).
  assert (I := Rinv_0_lt_compat _ P). constructor; intros; rewrite ?Z.
  - apply Rmult_le_compat_l; [lra|]. apply (lin_le (sum_linear _)); intros k Hk. destruct (choose_sign (N - 1) k) as [c0 [_ c]], (choose_sign (M * N - 1 - (N - 1)) (B - 1 - k)) as [d0 _].
    destruct (le_lt_dec k (N - 1)); [apply Rmult_le_compat_l; [apply Rmult_le_pos; assumption | apply H; split; lia] | rewrite c by assumption; lra].
  - rewrite <- Rmult_plus_distr_l, <- sum_plus. f_equal. apply sum_ext; intros; ring.
  - transitivity (/ F * (c0 * sum (S (B - 1)) (fun k => choose (N - 1) k * choose (M * N - 1 - (N - 1)) (B - 1 - k) * f k))); [|ring]. rewrite <- (sum_scal _ c0). f_equal. apply sum_ext; intros; ring.
  - eapply der_ext; [intro; symmetry; apply Z|]. apply (derivable_pt_lim_scal (fun t => sum _ _)).
    apply (lin_der (sum_linear _) (fun k t => choose (N - 1) k * choose (M * N - 1 - (N - 1)) (B - 1 - k) * f k t)). intros k Hk.
    destruct (le_lt_dec k (N - 1)) as [h|h].
    + apply (derivable_pt_lim_scal (f k)), H. split; lia.
    + destruct (choose_sign (N - 1) k) as [_ [_ c]]. rewrite c, !Rmult_0_l by exact h. apply (der_ext (fun _ => 0)); [intro; ring | apply derivable_pt_lim_const].
Qed.
Theorem random_pairs u w g : valid s u -> valid s w -> over (random_batches s B) (fun b => has b u * has b w * g (others s b u))
  = F * mean (fun k => shares (map INR s) (draws_seeing k) (agree u w) * g k).
Proof.
  intros Hu Hw. destruct u as [|i [|j v]], w as [|i' [|j' v']]; simpl in Hu, Hw; try tauto. destruct Hu as [Hi [Hj Hv]], Hw as [Hi' [Hj' Hv']].
  assert (P := F_pos). unfold hypergeometric, Rdiv. rewrite (Rmult_comm (sum _ _)), <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
  unfold random_batches. rewrite over_map. set (u := i :: j :: v). set (w := i' :: j' :: v'). set (Phi := fun a => _ : R).
  assert (inv : forall a a', Permutation a a' -> Phi a = Phi a') by (intros a a' Pa; unfold Phi; rewrite (instances_perm a a' Pa); reflexivity).
  assert (Z : forall a z, (z = (i, j) \/ z = (i', j')) -> ~ In z a -> Phi a = 0).
  { intros a z [->| ->] Nz; unfold Phi, has.
    - destruct (of_instances a u) eqn:e; [exfalso; apply Nz, (proj1 (has_instance a i j v) e) | ring].
    - destruct (of_instances a w) eqn:e; [exfalso; apply Nz, (proj1 (has_instance a i' j' v') e) | ring]. }
  assert (I : In (i, j) all) by (apply all_in; auto). assert (I' : In (i', j') all) by (apply all_in; auto).
  destruct (subsets_with all (i, j) (B - 1) Phi I inv (fun a => Z a _ (or_introl eq_refl)) all_once) as [l [Pl [E _]]].
  replace (S (B - 1)) with B in E by lia. rewrite E. clear E. set (q := of_class i). set (D := (B - 1)%nat).
  assert (nd := Permutation_NoDup Pl all_once). inversion nd as [|? ? ni nl]; subst.
  assert (inc : incl ((i, j) :: l) all) by (intros z Hz; exact (Permutation_in _ (Permutation_sym Pl) Hz)).
  assert (C1 : length (filter q l) = (N - 1)%nat) by (assert (c := perm_filter q _ _ Pl); unfold q in c; rewrite class_size in c by exact Hi; simpl in c; rewrite Nat.eqb_refl in c; simpl in c; unfold q; lia).
  assert (C2 : length (filter (fun x => negb (q x)) l) = (M * N - 1 - (N - 1))%nat).
  { assert (c := perm_filter (fun x => negb (q x)) _ _ Pl). unfold q in c. rewrite total_of_class in c by exact Hi. simpl in c. rewrite Nat.eqb_refl in c. simpl in c. unfold q. rewrite <- c. lia. }
  assert (here : forall a, incl a l -> NoDup a -> Phi ((i, j) :: a) = (if of_instances ((i, j) :: a) w then 1 else 0) * g (length (filter q a))).
  { intros a ia na. unfold Phi, has, u. rewrite (proj2 (has_instance ((i, j) :: a) i j v)) by (left; reflexivity).
    rewrite others_are; [cbv iota; fold w q; ring | intros z [<-|Hz]; [apply inc; left; reflexivity | apply inc; right; apply ia, Hz] | constructor; [intro K; apply ni, ia, K | exact na]]. }
  destruct (same_instance (i, j) (i', j')) eqn:e.
  - apply instance_spec in e. injection e as <- <-. rewrite (over_ext _ _ (fun a => g (length (filter q a)))), count_marked, C1, C2.
    + apply sum_ext; intros k _. subst u w. unfold draws_seeing; cbn [agree map shares]. rewrite !Nat.eqb_refl, shares_nil. ring.
    + intros a Ha. destruct (subset_of _ _ _ Ha) as [_ [ia na]]. rewrite here by auto. unfold w. rewrite (proj2 (has_instance ((i, j) :: a) i j v')) by (left; reflexivity). ring.
  - assert (ne : (i, j) <> (i', j')) by (intro K; apply instance_spec in K; congruence).
    assert (Il : In (i', j') l) by (apply (Permutation_in _ Pl) in I'; destruct I' as [K|K]; [contradiction | exact K]).
    destruct (subsets_with l (i', j') (D - 1) (fun a => Phi ((i, j) :: a)) Il) as [l' [Pl' [E E0]]];
      [intros; apply inv, perm_skip; assumption | intros a Na; apply (Z _ (i', j')); [right; reflexivity | intros [K|K]; [contradiction (ne K) | contradiction]] | exact nl |].
    assert (share : forall k, (k <= D)%nat -> shares (map INR s) (draws_seeing k) (agree u w) = if Nat.eqb i i' then INR k / INR (N - 1) else (INR D - INR k) / INR (M * N - 1 - (N - 1))).
    { intros k Hk. subst u w. unfold draws_seeing; cbn [agree map]. assert (Q := pos_INR k). assert (1 < INR M) by (apply (lt_INR 1); lia). assert (1 < INR N) by (apply (lt_INR 1); lia).
      destruct (Nat.eqb_spec i i') as [<-|ni'].
      - destruct (Nat.eqb_spec j j') as [<-|nj]; [contradiction ne; reflexivity|]. cbn [shares]. rewrite part_nil, minus_INR by lia. simpl (INR 1). field. lra.
      - cbn [shares part]. rewrite part_nil. replace (M * N - 1 - (N - 1))%nat with ((M - 1) * N)%nat by nia. unfold D. rewrite mult_INR, !minus_INR by lia. simpl (INR 1). field. repeat split; lra. }
    rewrite (sum_ext _ _ (fun k => choose (N - 1) k * choose (M * N - 1 - (N - 1)) (D - k) * ((if Nat.eqb i i' then INR k / INR (N - 1) else (INR (D) - INR k) / INR (M * N - 1 - (N - 1))) * g k))) by (intros k Hk; rewrite share by lia; reflexivity).
    clear share. destruct D as [|D'] eqn:ED.
    { rewrite E0. simpl sum. destruct (Nat.eqb i i'); simpl (INR 0); unfold Rdiv; ring. }
    replace (S D' - 1)%nat with D' in E by lia. rewrite E, (over_ext _ _ (fun a => g (if Nat.eqb i i' then S (length (filter q a)) else length (filter q a)))).
    2:{ intros a Ha. destruct (subset_of _ _ _ Ha) as [_ [ia na]]. assert (nl' := Permutation_NoDup Pl' nl). inversion nl' as [|? ? ni' nl2]; subst. rewrite here.
        - unfold w. rewrite (proj2 (has_instance ((i, j) :: (i', j') :: a) i' j' v')) by (right; left; reflexivity). rewrite Rmult_1_l. f_equal. unfold q. simpl filter. rewrite (Nat.eqb_sym i' i). destruct (Nat.eqb i i'); reflexivity.
        - intros z Hz. apply (Permutation_in _ (Permutation_sym Pl')). destruct Hz as [<-|Hz]; [left; reflexivity | right; apply ia, Hz].
        - constructor; [intro K; apply ni', ia, K | apply na, nl2]. }
    assert (c1 := perm_filter q _ _ Pl'). assert (c2 := perm_filter (fun x => negb (q x)) _ _ Pl'). rewrite C1 in c1. rewrite C2 in c2.
    unfold q in c1, c2. simpl in c1, c2. rewrite (Nat.eqb_sym i' i) in c1, c2. fold q in c1. change (fun x : instance => negb (Nat.eqb (fst x) i)) with (fun x => negb (q x)) in c2.
    destruct (Nat.eqb i i'); simpl in c1, c2.
    + rewrite (count_marked q (fun k => g (S k))), (sum_first (S D')), <- c2, c1. match goal with |- _ = ?x + _ => replace x with 0 by (simpl (INR 0); unfold Rdiv; ring) end. rewrite Rplus_0_l.
      apply sum_ext; intros k Hk. assert (A := choose_absorb (length (filter q l')) k). assert (0 < INR (S (length (filter q l')))) by (apply lt_0_INR; lia).
      simpl (S D' - S k)%nat. replace (choose (length (filter q l')) k) with (INR (S k) / INR (S (length (filter q l'))) * choose (S (length (filter q l'))) (S k)); [unfold Rdiv; ring|].
      unfold Rdiv. rewrite Rmult_assoc, (Rmult_comm (/ _)), <- Rmult_assoc, A. field. lra.
    + rewrite (count_marked q g), <- c1, c2. change (sum (S (S D')) ?f) with (sum (S D') f + f (S D')). cbv beta. set (L := length (filter (fun x => negb (q x)) l')).
      match goal with |- _ = _ + ?x => replace x with 0 by (unfold Rdiv; ring) end. rewrite Rplus_0_r. apply sum_ext; intros k Hk.
      assert (A := choose_absorb L (D' - k)). assert (0 < INR (S L)) by (apply lt_0_INR; lia). replace (S D' - k)%nat with (S (D' - k)) by lia. rewrite <- minus_INR by lia. replace (S D' - k)%nat with (S (D' - k)) by lia.
      replace (choose L (D' - k)) with (INR (S (D' - k)) / INR (S L) * choose (S L) (S (D' - k))); [unfold Rdiv; ring|].
      unfold Rdiv. rewrite Rmult_assoc, (Rmult_comm (/ _)), <- Rmult_assoc, A. field. lra.
Qed.
Definition seeing (terms alone : list term) (k : nat) : list term := match k with O => alone | S _ => terms end.
Section Written.
Variables (tau : R) (terms alone : list term) (h : list bool -> R).
Hypothesis one : forall N, In N s -> (1 <= N)%nat.
Notation anchors := (batch_anchors s (random_batches s B) (others s) F tau (seeing terms alone)).
Notation G k l := (batch_gradient (map INR s) [INR B / (k + 1); k + 1] tau l h).
Definition random_gradient (a : list bool) : R := mean (fun k => batch_gradient (map INR s) (draws_seeing k) tau (seeing terms alone k) h a).
Theorem random_mean : random_loss s B tau terms alone = mean_loss s anchors.
Proof.
  assert (P : 0 < T) by (apply size_pos; intros; apply one; simpl; auto).
  exact (batch_mean s _ (others s) (INR B * T) F one ltac:(apply Rmult_lt_0_compat; [apply lt_0_INR; lia | exact P]) F_pos random_F random_alike tau (seeing terms alone)).
Qed.
Hypothesis ok : (forall K, 1 <= K -> K <= INR N - 1 -> K <= INR B - 1 -> convex (in_batch (map INR s) [INR B / (K + 1); K + 1]) tau terms h)
  /\ convex (in_batch (map INR s) [INR B / (0 + 1); 0 + 1]) tau alone h.
Hypothesis nest : nested s [0; 0]%nat h /\ forall t, In t (terms ++ alone) -> nested s [0; 0]%nat (denominator t) /\ nested s [0; 0]%nat (positives t).
Lemma possible_real k : possible (S k) -> 1 <= INR (S k) /\ INR (S k) <= INR N - 1 /\ INR (S k) <= INR B - 1.
Proof.
  intros [b c]. apply le_INR in b, c. rewrite minus_INR in b, c by lia. simpl (INR 1) in b, c. assert (Q := pos_INR k). rewrite S_INR in *. lra.
Qed.
Theorem random_smooth : smooth_at s anchors random_gradient h (/ tau).
Proof.
  refine (batch_smooth s [0; 0]%nat _ (others s) F draws_seeing possible mean F_pos random_rows random_pairs tau (seeing terms alone) h (cltheory_convex.tau_pos _ _ _ _ (proj2 ok)) _ _).
  - intros [|k] Hk; [exact (proj2 ok)|]. destruct (possible_real k Hk) as [a [b c]]. apply (proj1 ok); assumption.
  - split; [apply (proj1 nest)|]. intros k t Ht. apply (proj2 nest), in_or_app. destruct k; auto.
Qed.
(* That an eigenvalue is not below the level, from that where an anchor sees K others, or when it is. *)
Lemma random_above ks : (forall K, 1 <= K -> K <= INR N - 1 -> K <= INR B - 1 -> level (map INR s) (G K terms) h <= eigen (map INR s) ks (G K terms)) ->
  level (map INR s) (G 0 alone) h <= eigen (map INR s) ks (G 0 alone) -> level (map INR s) random_gradient h <= eigen (map INR s) ks random_gradient.
Proof.
  intros some none. unfold random_gradient. rewrite (level_mean mean_linear), (eigen_mean mean_linear). apply (lin_le mean_linear).
  intros [|k] Hk; [exact none|]. destruct (possible_real k Hk) as [a [b c]]. apply some; assumption.
Qed.
Lemma random_when ks c1 c2 f c0 : (forall K, 1 <= K -> K <= INR N - 1 -> K <= INR B - 1 -> eigen (map INR s) ks (G K terms) - level (map INR s) (G K terms) h = c1 + c2 * f K) ->
  eigen (map INR s) ks (G 0 alone) - level (map INR s) (G 0 alone) h = c0 ->
  (level (map INR s) random_gradient h <= eigen (map INR s) ks random_gradient <->
   0 <= c1 * mean_of_some (N - 1) (B - 1) (M * N - 1) (fun _ => 1) + c2 * mean_of_some (N - 1) (B - 1) (M * N - 1) f + chance_of_none (N - 1) (B - 1) (M * N - 1) * c0).
Proof.
  intros some none. unfold random_gradient. set (g := fun k => batch_gradient (map INR s) (draws_seeing k) tau (seeing terms alone k) h).
  rewrite (level_mean mean_linear _ g), (eigen_mean mean_linear _ _ g). set (total_gap := _ + _).
  replace total_gap with (mean (fun k => eigen (map INR s) ks (g k)) - mean (fun k => level (map INR s) (g k) h)); [split; intro; lra|].
  unfold total_gap, mean_of_some, chance_of_none. rewrite (Rmult_comm _ c0), <- !(lin_scal mean_linear), <- !(lin_plus mean_linear), <- (lin_minus mean_linear). apply (lin_ext mean_linear).
  intros [|k] Hk; [transitivity c0; [exact none | ring]|]. destruct (possible_real k Hk) as [a [b c]].
  transitivity (c1 + c2 * f (INR (S k))); [exact (some (INR (S k)) a b c) | ring].
Qed.
End Written.
Lemma none_sign : 0 <= chance_of_none (N - 1) (B - 1) (M * N - 1).
Proof. apply (lin_pos mean_linear). intros [|k] _; lra. Qed.
Lemma weighed j f : (j <= B - 1)%nat -> (j <= N - 1)%nat -> (B - 1 - j <= M * N - N)%nat -> (forall k, 0 <= f k) -> 0 < f j -> 0 < mean f.
Proof.
  intros a b c pos h. apply Rdiv_lt_0_compat; [|apply F_pos]. set (w := fun k => choose (N - 1) k * choose (M * N - 1 - (N - 1)) (B - 1 - k) * f k).
  assert (W : forall k, 0 <= w k) by (intro k; repeat apply Rmult_le_pos; try apply choose_sign; apply pos).
  apply Rlt_le_trans with (sum (S (B - 1)) (fun k => if Nat.eqb j k then w k else 0)).
  - rewrite (sum_pick _ j w) by lia. repeat apply Rmult_lt_0_compat; try exact h; apply choose_sign; nia.
  - apply (lin_le (sum_linear _)); intros k _. destruct (Nat.eqb j k); [lra | apply W].
Qed.
Lemma none_pos : (B <= M * N - N + 1)%nat -> 0 < chance_of_none (N - 1) (B - 1) (M * N - 1).
Proof. intro le. apply (weighed 0); try lia; try lra. intros [|k]; lra. Qed.
Lemma some_pos : (2 <= B)%nat -> 0 < mean_of_some (N - 1) (B - 1) (M * N - 1) (fun _ => 1).
Proof. intro le. apply (weighed (Nat.max 1 (B - 1 - (M * N - N)))); try nia; [intros [|k]; lra|]. destruct (Nat.max _ _) eqn:e; [lia | lra]. Qed.
End Random.
