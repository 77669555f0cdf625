(* Written by cltheory. The mean of a softmax loss over all batches, of D of N indices along each axis:
   how many batches have a point and how many a pair, and so the gradient by relation. *)
From Coq Require Import Reals Lra Lia List Arith FunctionalExtensionality.
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

Section Batches.
Variables (s d : list nat) (tau : R) (terms : list term) (h : list bool -> R).
Hypothesis one : forall N, In N s -> (1 <= N)%nat.
Notation Rs := (map INR s).
Notation Rd := (map INR d).
Notation inside := (in_batch Rs Rd).
Hypothesis ok : convex inside tau terms h.
Hypothesis dr : drawn s d.
Hypothesis nest : nested s d h /\ forall t, In t terms -> nested s d (denominator t) /\ nested s d (positives t).
Notation F := (part Rs Rd * every s d).
Notation having u := (filter (fun b : batch => b u) (batches s d)).
Definition batch_anchors (u : point) (x : point -> R) : R :=
  over (having u) (fun b => / F * over terms (batch_anchor_loss s tau b (fun _ => x) u)).
Lemma F_pos : 0 < F. Proof. apply Rmult_lt_0_compat; [apply part_pos | apply every_pos]; exact dr. Qed.

Theorem batch_mean : batch_loss s d tau terms = mean_loss s batch_anchors.
Proof.
  extensionality H. unfold batch_loss, mean_loss, batch_anchors. assert (P := F_pos). assert (S := size_pos s one).
  rewrite (total_ext s (fun u => over _ _) (fun u => / F * over (batches s d) (fun b => if b u then over terms (batch_anchor_loss s tau b H u) else 0)))
    by (intros; rewrite over_scal, over_filter; reflexivity).
  rewrite <- over_one, total_scal, (lin_over (total_linear s)).
  rewrite (over_ext (batches s d) _ (fun b => / (part Rs Rd * total s (fun _ => 1)) * total s (fun u => if b u then over terms (batch_anchor_loss s tau b H u) else 0))).
  - rewrite over_scal. assert (Q := part_pos s d dr). assert (E := every_pos s d dr). field. lra.
  - intros b I. assert (B := batch_size s d b I). unfold total_in in B. rewrite B, batch_part by exact dr. unfold Rdiv. ring.
Qed.

Lemma of_having b u f : In b (having u) -> valid s u -> nested s d f -> total s (fun w => has b w * f (agree u w)) = row inside f.
Proof.
  intros I Hu Nf. apply filter_In in I as [I Hb]. replace inside with (map INR (in_batch s d)) by (clear; revert d; induction s; intros [|D e]; simpl; congruence).
  rewrite <- (within_row s d b u f I Nf Hu Hb). apply total_ext; intros w _. unfold has. destruct (b w); ring.
Qed.
Theorem batch_smooth : smooth_at s batch_anchors (batch_gradient Rs Rd tau terms h) h (/ tau).
Proof.
  split; [apply Rinv_0_lt_compat, (tau_pos _ _ _ _ ok)|]. intros u Hu. assert (L := total_linear s). destruct nest as [Nh Nt].
  assert (Z : forall b t, In b (having u) -> In t terms -> total s (fun w => has b w * denominator t (agree u w) * exp (h (agree u w) / tau)) = partition inside tau h t).
  { intros b t Hb Ht. unfold partition. rewrite <- (of_having b u _ Hb Hu (nested_both (fun x y => x * exp (y / tau)) s d _ _ (proj1 (Nt t Ht)) Nh)).
    apply total_ext; intros. ring. }
  refine (soft_convex L (nested_linear (okW := fun q => In (fst q) (having u) /\ In (snd q) terms) pair
    (over_linear (having u)) (fun _ => over_linear terms) _) tau (fun q => / F * weight (snd q)) (fun q w => has (fst q) w * denominator (snd q) (agree u w))
    (fun q w => has (fst q) w * (positives (snd q) (agree u w) / row inside (positives (snd q)))) _ _ _ _ _ _ _).
  - intros; split; assumption.
  - intro f. rewrite (lin_over L). apply over_ext; intros b _. apply (lin_over L terms (fun w t => f w (b, t))).
  - intros [b t] [Hb Ht]. cbn [fst snd] in *. rewrite Z by assumption. repeat split.
    + apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, F_pos | apply (weights _ _ _ _ ok); exact Ht].
    + intros w _. apply Rmult_le_pos; [unfold has; destruct (b w); lra | apply (denominators _ _ _ _ ok); exact Ht].
    + apply (partitions _ _ _ _ ok); exact Ht.
  - intro x. apply over_ext; intros b Hb. rewrite <- over_scal. apply over_ext; intros t Ht. unfold batch_anchor_loss. cbn [fst snd].
    assert (E : forall f, total s (fun w => if b w then f w else 0) = total s (fun w => has b w * f w)) by (intro; apply total_ext; intros w _; unfold has; destruct (b w); ring).
    rewrite !E, (of_having b u _ Hb Hu (proj2 (Nt t Ht))), Rmult_assoc. do 3 f_equal; [f_equal; apply total_ext; intros; ring|].
    unfold Rdiv. rewrite Rmult_comm, <- total_scal. apply total_ext; intros. ring.
  - intros w Hw. unfold batch_gradient. f_equal. set (G := over terms _).
    rewrite (over_ext (having u) _ (fun b => G * / F * has b w)), over_scal, over_filter.
    + rewrite (over_ext (batches s d) (fun b => if b u then has b w else 0) (fun b => has b u * has b w)), with_pair by (assumption || (intros b _; unfold has; destruct (b u); ring)). assert (P := F_pos). set (f := F) in *. field. lra.
    + intros b Hb. set (f := F). rewrite Rmult_assoc, (Rmult_comm G). unfold G. rewrite <- over_scal. apply over_ext; intros t Ht. cbn [fst snd].
      rewrite Z by assumption. unfold Rdiv. ring.
Qed.
End Batches.
