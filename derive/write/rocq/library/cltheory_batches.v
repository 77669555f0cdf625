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
Lemma over_zero {T} (l : list T) : over l (fun _ => 0) = 0.
Proof. induction l; simpl; [|rewrite IHl]; ring. Qed.
Lemma over_one {T} (l : list T) : over l (fun _ => 1) = INR (length l).
Proof. induction l; simpl length; [reflexivity|]. rewrite S_INR. simpl. rewrite IHl. ring. Qed.
Lemma over_pos {T} (l : list T) f : (forall t, 0 <= f t) -> 0 <= over l f.
Proof. intro p. rewrite <- (over_zero l). apply over_le. intros; apply p. Qed.

(* ---- how many batches there are, with what is at one index or at two ---- *)
Definition none : batch := fun _ => false.
Definition below_of (i : nat) (b : batch) : batch := fun v => b (i :: v).
Lemma below_added i k b c : below_of i (added k b c) = if Nat.eqb i k then b else below_of i c.
Proof. unfold below_of, added. destruct (Nat.eqb i k); reflexivity. Qed.

Section Chosen.
Variable below : list batch.
Notation g := (over below (fun _ => 1)).
Definition c (N D : nat) : R := over (chosen N D below) (fun _ => 1).
Lemma chosen_succ N D F : over (chosen (S N) D below) F = over (chosen N D below) (fun b => F (added N none b))
  + match D with O => 0 | S e => over below (fun b => over (chosen N e below) (fun b' => F (added N b b'))) end.
Proof. simpl. rewrite over_app, over_map. f_equal. destruct D; [reflexivity|]. rewrite over_each. apply over_ext; intros. apply over_map. Qed.
Lemma c_succ N e : c (S N) (S e) = c N (S e) + g * c N e.
Proof. unfold c. rewrite chosen_succ. f_equal. rewrite Rmult_comm, <- over_scal. apply over_ext; intros. ring. Qed.
Lemma c_none N : c (S N) O = c N O. Proof. unfold c. rewrite chosen_succ. ring. Qed.
Lemma c_shift N e : INR (S e) * c N (S e) = g * (INR N - INR e) * c N e.
Proof.
  revert e; induction N as [|N IH]; intros [|e]; try (unfold c; simpl; ring); rewrite c_succ, Rmult_plus_distr_l, IH, !S_INR.
  - rewrite c_none. simpl INR. ring.
  - assert (A := IH e). rewrite !S_INR in A. rewrite c_succ. set (x := c N (S e)) in *. set (y := c N e) in *.
    transitivity (g * (INR N + 1 - (INR e + 1)) * (x + g * y) + g * ((INR e + 1) * x - g * (INR N - INR e) * y)); [ring|]. rewrite A. ring.
Qed.
Lemma c_drawn N e : INR (S N) * (g * c N e) = INR (S e) * c (S N) (S e).
Proof. rewrite c_succ, Rmult_plus_distr_l, c_shift, !S_INR. ring. Qed.
(* One more batch below, or none. *)
Lemma c_more N e : (INR N + 1) * (g * c N e) = (INR e + 1) * (c N (S e) + g * c N e).
Proof. rewrite <- c_succ, <- !S_INR. apply c_drawn. Qed.

Lemma at_one phi N D i : phi none = 0 -> (i < N)%nat ->
  INR N * (g * over (chosen N D below) (fun b => phi (below_of i b))) = INR D * (over below phi * c N D).
Proof.
  intro Z. revert D; induction N as [|N IH]; intros D Hi; [lia|]. rewrite chosen_succ. destruct (Nat.eq_dec i N) as [->|ne].
  - rewrite (over_ext _ (fun b => phi _) (fun _ => 0)) by (intros; rewrite below_added, Nat.eqb_refl; exact Z).
    rewrite over_zero. destruct D as [|e]; [simpl INR at 2; ring|].
    rewrite (over_ext below (fun b => over (chosen N e below) _) (fun b => c N e * phi b)) by (intros; unfold c; rewrite Rmult_comm, <- over_scal; apply over_ext; intros; rewrite below_added, Nat.eqb_refl; ring).
    rewrite over_scal. transitivity (over below phi * (INR (S N) * (g * c N e))); [ring|]. rewrite c_drawn. ring.
  - assert (E : Nat.eqb i N = false) by (apply Nat.eqb_neq; exact ne). assert (Hi' : (i < N)%nat) by lia.
    assert (P : 0 < INR N) by (apply lt_0_INR; lia). assert (K : forall b k, below_of i (added N b k) = below_of i k) by (intros; rewrite below_added, E; reflexivity).
    rewrite (over_ext _ (fun b => phi (below_of i (added N none b))) (fun b => phi (below_of i b))) by (intros; rewrite K; reflexivity).
    apply Rmult_eq_reg_l with (INR N); [|lra]. rewrite S_INR. assert (HX := IH D Hi'). destruct D as [|e].
    + rewrite c_none, Rplus_0_r. set (X := over (chosen N 0 below) _) in *.
      transitivity ((INR N + 1) * (INR N * (g * X))); [ring|]. rewrite HX. simpl INR at 2. simpl INR at 3. ring.
    + assert (HY := IH e Hi'). set (X := over (chosen N (S e) below) _) in *. set (Y := over (chosen N e below) (fun b => phi (below_of i b))) in *.
      rewrite (over_ext below (fun b => over (chosen N e below) _) (fun b => Y * 1)) by (intros; rewrite Rmult_1_r; apply over_ext; intros; rewrite K; reflexivity).
      rewrite over_scal, c_succ. assert (M := c_more N e). rewrite !S_INR in *. set (x := c N (S e)) in *. set (y := c N e) in *.
      transitivity ((INR N + 1) * (INR N * (g * X) + g * (INR N * (g * Y)))); [ring|]. rewrite HX, HY.
      transitivity (over below phi * ((INR N + 1) * (INR e + 1) * x + INR e * ((INR N + 1) * (g * y)))); [ring|]. rewrite M.
      transitivity (over below phi * ((INR e + 1) * ((INR N + 1) * (x + g * y) - (INR N + 1) * (g * y) + INR e * (x + g * y)))); [ring|]. rewrite M. ring.
Qed.
Lemma at_two phi psi N D i j : phi none = 0 -> psi none = 0 -> (i < N)%nat -> (j < N)%nat -> i <> j ->
  INR N * (INR N - 1) * (g * g * over (chosen N D below) (fun b => phi (below_of i b) * psi (below_of j b)))
  = INR D * (INR D - 1) * (over below phi * over below psi * c N D).
Proof.
  revert phi psi D i j; induction N as [|N IH].
  { intros; lia. }
  assert (T : forall phi psi D i j, phi none = 0 -> psi none = 0 -> (i < N)%nat -> j = N ->
    INR (S N) * (INR (S N) - 1) * (g * g * over (chosen (S N) D below) (fun b => phi (below_of i b) * psi (below_of j b)))
    = INR D * (INR D - 1) * (over below phi * over below psi * c (S N) D)).
  { intros phi psi D i j Z Z' Hi ->. rewrite chosen_succ. assert (E : Nat.eqb i N = false) by (apply Nat.eqb_neq; lia).
    rewrite (over_ext _ (fun b => phi _ * _) (fun _ => 0)) by (intros; rewrite !below_added, Nat.eqb_refl, Z'; ring).
    rewrite over_zero. destruct D as [|e]; [simpl INR at 3; ring|]. assert (O := at_one phi N e i Z Hi). set (Y := over (chosen N e below) (fun b => phi (below_of i b))) in *.
    rewrite (over_ext below (fun b => over (chosen N e below) _) (fun b => Y * psi b)) by (intros; rewrite Rmult_comm; unfold Y; rewrite <- over_scal; apply over_ext; intros; rewrite !below_added, Nat.eqb_refl, E; ring).
    rewrite over_scal. assert (M := c_drawn N e). set (x := c (S N) (S e)) in *. rewrite !S_INR in *.
    transitivity (over below psi * ((INR N + 1) * (g * (INR N * (g * Y))))); [ring|]. rewrite O.
    transitivity (over below psi * over below phi * INR e * ((INR N + 1) * (g * c N e))); [ring|]. rewrite M. ring. }
  intros phi psi D i j Z Z' Hi Hj ij. destruct (Nat.eq_dec j N) as [ej|nj]; [apply T; auto; lia|].
  destruct (Nat.eq_dec i N) as [ei|ni].
  { rewrite (over_ext (chosen (S N) D below) _ (fun b => psi (below_of j b) * phi (below_of i b))) by (intros; ring).
    rewrite (T psi phi D j i) by (auto; lia). ring. }
  assert (K : forall b k, below_of i (added N b k) = below_of i k /\ below_of j (added N b k) = below_of j k).
  { intros. rewrite !below_added. destruct (Nat.eqb_spec i N), (Nat.eqb_spec j N); try contradiction. split; reflexivity. }
  assert (Hi' : (i < N)%nat) by lia. assert (Hj' : (j < N)%nat) by lia.
  assert (P : 0 < INR N - 1) by (apply Rlt_Rminus, (lt_INR 1); lia).
  rewrite chosen_succ. rewrite (over_ext _ (fun b => phi (below_of i (added N none b)) * _) (fun b => phi (below_of i b) * psi (below_of j b)))
    by (intros; destruct (K none t) as [-> ->]; reflexivity).
  apply Rmult_eq_reg_l with (INR N - 1); [|lra]. rewrite S_INR. assert (HX := IH phi psi D i j Z Z' Hi' Hj' ij). destruct D as [|e].
  - rewrite c_none, Rplus_0_r. set (X := over (chosen N 0 below) _) in *.
    transitivity ((INR N + 1) * (INR N * (INR N - 1) * (g * g * X))); [ring|]. rewrite HX. simpl INR at 2. simpl INR at 4. ring.
  - assert (HY := IH phi psi e i j Z Z' Hi' Hj' ij). set (X := over (chosen N (S e) below) _) in *. set (Y := over (chosen N e below) (fun b => phi (below_of i b) * psi (below_of j b))) in *.
    rewrite (over_ext below (fun b => over (chosen N e below) _) (fun b => Y * 1)) by (intros b _; rewrite Rmult_1_r; apply over_ext; intros b' _; destruct (K b b') as [-> ->]; reflexivity).
    rewrite over_scal, c_succ. assert (M := c_more N e). rewrite !S_INR in *. set (x := c N (S e)) in *. set (y := c N e) in *.
    set (f := over below phi) in *. set (h := over below psi) in *.
    transitivity ((INR N + 1) * (INR N * (INR N - 1) * (g * g * X) + g * (INR N * (INR N - 1) * (g * g * Y)))); [ring|]. rewrite HX, HY.
    transitivity (f * h * (INR e * ((INR N + 1) * (INR e + 1) * x + (INR e - 1) * ((INR N + 1) * (g * y))))); [ring|]. rewrite M.
    transitivity (f * h * (INR e * ((INR e + 1) * ((INR N + 1) * (x + g * y) - (INR N + 1) * (g * y) + (INR e - 1) * (x + g * y))))); [ring|]. rewrite M. ring.
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
  revert D H; induction N as [|N IN]; intros [|e] H; try lia; [unfold c; simpl; lra | rewrite c_none; apply IN; lia | rewrite c_succ].
  apply Rplus_le_lt_0_compat; [apply over_pos; intros; lra | apply Rmult_lt_0_compat; [exact P | apply IN; lia]].
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
  unfold has. revert d u; induction s as [|N r IH]; intros [|D d] [|i v] H Hu; simpl in *; try contradiction; try ring.
  destruct H as [H Hr], Hu as [Hi Hv]. assert (P := every_pos r d Hr). assert (PN : 0 < INR N) by (apply lt_0_INR; lia).
  assert (O := at_one (batches r d) (fun b => if b v then 1 else 0) N D i eq_refl Hi). rewrite IH in O by assumption.
  unfold below_of, c in O. apply Rmult_eq_reg_l with (INR N * every r d); [|apply Rgt_not_eq, Rmult_lt_0_compat; assumption].
  rewrite Rmult_assoc, O. field. lra.
Qed.
Lemma with_pair s d u w : drawn s d -> valid s u -> valid s w ->
  over (batches s d) (fun b => has b u * has b w)
  = shares (map INR s) (map INR d) (agree u w) * (part (map INR s) (map INR d) * every s d).
Proof.
  revert d u w; induction s as [|N r IH]; intros [|D d] [|i v] [|j v'] H Hu Hw; simpl in *; try contradiction; unfold has; try ring.
  destruct H as [H Hr], Hu as [Hi Hv], Hw as [Hj Hw]. assert (P := every_pos r d Hr). assert (PN : 0 < INR N) by (apply lt_0_INR; lia).
  destruct (Nat.eqb_spec i j) as [<-|ij].
  - assert (O := at_one (batches r d) (fun b => has b v * has b v') N D i ltac:(unfold has, none; ring) Hi). rewrite IH in O by assumption.
    unfold has, below_of, c in O. apply Rmult_eq_reg_l with (INR N * every r d); [|apply Rgt_not_eq, Rmult_lt_0_compat; assumption].
    rewrite Rmult_assoc, O. field. lra.
  - assert (PM : 0 < INR N - 1) by (apply Rlt_Rminus, (lt_INR 1); lia).
    assert (O := at_two (batches r d) (fun b => has b v) (fun b => has b v') N D i j eq_refl eq_refl Hi Hj ij).
    rewrite !with_point in O by assumption. unfold has, below_of, c in O.
    apply Rmult_eq_reg_l with (INR N * (INR N - 1) * (every r d * every r d)).
    2: { apply Rgt_not_eq; repeat apply Rmult_lt_0_compat; assumption. }
    rewrite Rmult_assoc, O. field. lra.
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
Lemma within_none s f : total_in s none f = 0. Proof. apply total_zero. Qed.
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
  intros a_ e_; do 4 (try (destruct a_ as [|[|] a_]; try discriminate e_)); reflexivity.

Section Batches.
Variables (s d : list nat) (tau : R) (terms : list term) (h : list bool -> R).
Hypothesis one : forall N, In N s -> (1 <= N)%nat.
Notation Rs := (map INR s).
Notation Rd := (map INR d).
Notation inside := (in_batch Rs Rd).
Hypothesis ok : convex inside tau terms h.
Hypothesis dr : drawn s d.
Hypothesis nest : nested s d h /\ forall t, In t terms -> nested s d (denominator t) /\ nested s d (positives t).
Notation A := (batch_gradient Rs Rd tau terms h).
Notation F := (part Rs Rd * every s d).
Definition batch_anchors (H : matrix) (u : point) : R :=
  / F * over (batches s d) (fun b => has b u * over terms (batch_anchor_loss s tau b H u)).
Lemma F_pos : 0 < F. Proof. apply Rmult_lt_0_compat; [apply part_pos | apply every_pos]; exact dr. Qed.
Lemma inside_is : inside = map INR (in_batch s d).
Proof. clear. revert d; induction s; intros [|D e]; simpl; congruence. Qed.

Theorem batch_mean : batch_loss s d tau terms = mean_loss s batch_anchors.
Proof.
  extensionality H. unfold batch_loss, mean_loss, batch_anchors. rewrite <- over_one, total_scal. assert (P := every_pos s d dr).
  assert (Q := part_pos s d dr). assert (S := size_pos s one).
  rewrite (over_ext (batches s d) _ (fun b => / (part Rs Rd * total s (fun _ => 1)) * total s (fun u => has b u * over terms (batch_anchor_loss s tau b H u)))).
  - rewrite over_scal, over_total. field. lra.
  - intros b I. assert (B := batch_size s d b I). unfold total_in in B. rewrite B, batch_part by exact dr.
    rewrite (total_ext s _ (fun u => has b u * over terms (batch_anchor_loss s tau b H u))) by (intros; unfold has; destruct (b u); ring).
    unfold Rdiv. ring.
Qed.

Lemma within_at b u f : In b (batches s d) -> nested s d f -> valid s u -> b u = true -> total_in s b (fun w => f (agree u w)) = row inside f.
Proof. rewrite inside_is. apply within_row. Qed.
(* The gradient of a term in a batch, and the mean over batches. *)
Notation pull := (fun t a => denominator t a * exp (h a / tau) / partition inside tau h t - positives t a / row inside (positives t)).
Lemma batch_pulls (y : point -> R) u : valid s u ->
  / F * over (batches s d) (fun b => has b u * over terms (fun t => weight t * total s (fun w => has b w * pull t (agree u w) * (y w / tau))))
  = / tau * total s (fun w => A (agree u w) * y w).
Proof.
  intro Hu. assert (T := tau_pos _ _ _ _ ok). assert (P := F_pos). assert (W := fun w => with_pair s d u w dr Hu). set (f := F) in *.
  rewrite (over_ext (batches s d) _ (fun b => total s (fun w => has b u * has b w * over terms (fun t => weight t * pull t (agree u w)) * (y w / tau)))).
  - rewrite over_total, <- !total_scal. apply total_ext; intros w Hw.
    rewrite (over_ext (batches s d) _ (fun b => over terms (fun t => weight t * pull t (agree u w)) * (y w / tau) * (has b u * has b w))) by (intros; ring).
    rewrite over_scal, W by exact Hw. unfold batch_gradient, Rdiv. set (x := over terms _). field. lra.
  - intros b _. rewrite (over_ext terms _ (fun t => total s (fun w => weight t * (has b w * pull t (agree u w) * (y w / tau))))) by (intros; rewrite total_scal; reflexivity).
    rewrite over_total, <- total_scal. apply total_ext; intros w _. rewrite (Rmult_comm _ (y w / tau)), <- !over_scal. apply over_ext; intros; ring.
Qed.
Lemma in_sum (b : batch) f g : total s (fun w => if b w then f w * g w else 0) = total s (fun w => has b w * f w * g w).
Proof. apply total_ext; intros. unfold has. destruct (b u); ring. Qed.
Lemma batch_soft b u t : In b (batches s d) -> In t terms -> valid s u -> b u = true ->
  let e (w : point) := has b w * denominator t (agree u w) in let p (w : point) := has b w * (positives t (agree u w) / row inside (positives t)) in
  ((forall w, valid s w -> 0 <= e w) /\ 0 < total s (fun w => e w * exp (h (agree u w) / tau))) /\
  (forall w, soft_pull s e p (fun w => h (agree u w) / tau) w = has b w * pull t (agree u w)) /\
  forall H, batch_anchor_loss s tau b H u t = weight t * soft s e p (fun w => H u w / tau).
Proof.
  intros I Ht Hu Hb e p. destruct nest as [Nh Nt]. destruct (Nt t Ht) as [Nd Np]. assert (Q := within_at b u _ I Np Hu Hb).
  assert (Z := within_at b u (fun a => denominator t a * exp (h a / tau)) I (nested_both (fun x y => x * exp (y / tau)) s d _ _ Nd Nh) Hu Hb).
  unfold total_in in Z, Q. rewrite in_sum in Z. fold (partition inside tau h t) in Z. unfold soft_pull, soft, e. rewrite Z. split; [split|split].
  - intros w _. apply Rmult_le_pos; [unfold has; destruct (b w); lra | apply (denominators _ _ _ _ ok); exact Ht].
  - apply (partitions _ _ _ _ ok); exact Ht.
  - intro w. unfold p, Rdiv. ring.
  - intro H. unfold batch_anchor_loss. rewrite Q, !in_sum. do 2 f_equal. unfold Rdiv at 1. rewrite Rmult_comm, <- total_scal.
    apply total_ext; intros. unfold p, Rdiv. ring.
Qed.
Theorem batch_tangent : tangent_to s batch_anchors A h (/ tau).
Proof.
  assert (T := tau_pos _ _ _ _ ok). split; [apply Rinv_0_lt_compat; exact T|]. intros H u _ Hu.
  rewrite <- (batch_pulls (fun w => H u w - h (agree u w)) u Hu). unfold batch_anchors. rewrite <- Rmult_plus_distr_l.
  apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat, F_pos|]. rewrite <- over_plus. apply over_le; intros b I.
  destruct (b u) eqn:Hb; [|unfold has; rewrite Hb; lra]. rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [unfold has; rewrite Hb; lra|].
  rewrite <- over_plus. apply over_le; intros t Ht. destruct (batch_soft b u t I Ht Hu Hb) as [[D P] [E L]]. rewrite !L, <- Rmult_plus_distr_l.
  apply Rmult_le_compat_l; [apply (weights _ _ _ _ ok); exact Ht|]. eapply Rle_trans; [|exact (soft_above s _ _ _ (fun w => H u w / tau) D P)].
  right. f_equal. apply total_ext; intros w _. rewrite E. unfold Rdiv. ring.
Qed.
Theorem batch_slope : slope_at s batch_anchors A h (/ tau).
Proof.
  split.
  - intros y u Hu. rewrite <- (batch_pulls (y u) u Hu). unfold batch_anchors. apply derivable_pt_lim_scal.
    apply (over_der (batches s d) (fun b r => has b u * over terms (batch_anchor_loss s tau b (fun u w => h (agree u w) + r * y u w) u))). intros b I.
    destruct (b u) eqn:Hb.
    2: { unfold has. rewrite Hb, Rmult_0_l. apply der_ext with (fun _ => 0); [intro; ring | apply derivable_pt_lim_const]. }
    apply derivable_pt_lim_scal. apply (over_der terms (fun t r => batch_anchor_loss s tau b (fun u w => h (agree u w) + r * y u w) u t)). intros t Ht.
    destruct (batch_soft b u t I Ht Hu Hb) as [[_ P] [E L]]. rewrite (total_ext s _ (fun w => soft_pull s _ _ _ w * (y u w / tau)) (fun w _ => f_equal (fun x => x * _) (eq_sym (E w)))).
    apply der_ext with (2 := derivable_pt_lim_scal _ (weight t) _ _ (soft_derivative s _ _ _ (fun w => y u w / tau) P)).
    intro r. rewrite L. unfold mult_real_fct, soft. f_equal. f_equal; [f_equal|]; apply total_ext; intros w _; unfold Rdiv; first [ring | do 2 f_equal; ring].
  - intros H G u e. unfold batch_anchors. f_equal. apply over_ext; intros b _. f_equal. apply over_ext; intros t _. unfold batch_anchor_loss.
    assert (E : forall f, total s (fun w => if b w then f w (H u w) else 0) = total s (fun w => if b w then f w (G u w) else 0))
      by (intro f; apply total_ext; intros w Hw; rewrite e by exact Hw; reflexivity).
    cbv zeta. rewrite (E (fun w v => denominator t (agree u w) * exp (v / tau))), (E (fun w v => positives t (agree u w) * (v / tau))). reflexivity.
Qed.
End Batches.
