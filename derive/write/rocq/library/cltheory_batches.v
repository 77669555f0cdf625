(* Written by cltheory. The mean of a softmax loss over all batches of a kind that stays the same when
   instances are exchanged: how often a pair is in them, and so the gradient by relation. *)
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
Lemma over_perm {T} (l l' : list T) f : Permutation l l' -> over l f = over l' f.
Proof. induction 1; simpl; lra. Qed.
Lemma over_moved {T} (S : T -> T) l f : (forall u, S (S u) = u) -> NoDup l -> (forall u, In u l -> In (S u) l) -> over l (fun u => f (S u)) = over l f.
Proof.
  intros back once into. rewrite <- over_map. apply over_perm, NoDup_Permutation; [|exact once|].
  - apply FinFun.Injective_map_NoDup; [intros u v e; rewrite <- (back u), e; apply back | exact once].
  - intro u. rewrite in_map_iff. split; [intros [v [<- H]]; auto | intro H; exists (S u); auto].
Qed.
Lemma once_app {T} (l l' : list T) : NoDup l -> NoDup l' -> (forall x, In x l -> ~ In x l') -> NoDup (l ++ l').
Proof. induction 1 as [|x l X _ IH]; simpl; [auto|]. intros once apart. constructor; [rewrite in_app_iff; intros [I|I]; [|apply (apart x)]|]; auto. Qed.
Local Notation number p l := (length (filter p l)).
Lemma number_over {T} p (l : list T) : INR (length (filter p l)) = over l (fun x => if p x then 1 else 0).
Proof. rewrite <- over_one, over_filter. reflexivity. Qed.

Lemma sum_over N f : sum N f = over (seq 0 N) f.
Proof. induction N; [reflexivity|]. rewrite seq_S, over_app, <- IHN. simpl. rewrite Rplus_0_r. reflexivity. Qed.

(* ---- sets of places ---- *)
Lemma over_places M N f : over (places M N) f = sum M (fun i => sum N (fun j => f [i; j])).
Proof. unfold places. rewrite sum_over, over_each. apply over_ext; intros i _. rewrite over_map, sum_over. reflexivity. Qed.
Lemma place_in M N u : In u (places M N) <-> exists i j, u = [i; j] /\ (i < M)%nat /\ (j < N)%nat.
Proof.
  unfold places. rewrite in_flat_map. split.
  - intros [i [I K]]. apply in_map_iff in K as [j [<- J]]. apply in_seq in I, J. exists i, j. repeat split; lia.
  - intros [i [j [-> [Hi Hj]]]]. exists i. split; [apply in_seq; lia | apply (in_map (fun j => [i; j])), in_seq; lia].
Qed.
Lemma places_once M N : NoDup (places M N).
Proof.
  unfold places. induction (seq_NoDup M 0) as [|i l I _ IH]; simpl; [constructor|]. apply once_app; [|exact IH|].
  - apply FinFun.Injective_map_NoDup; [congruence | apply seq_NoDup].
  - intros u U V. apply in_map_iff in U as [j [<- _]]. apply in_flat_map in V as [i' [I' V]]. apply in_map_iff in V as [j' [e _]]. injection e as -> _. contradiction.
Qed.
Lemma over_sets k l F : over (sets (k :: l)) F = over (sets l) (fun c => F (put k false c)) + over (sets l) (fun c => F (put k true c)).
Proof. simpl. rewrite over_app, !over_map. reflexivity. Qed.
Local Notation same := (list_eq_dec Nat.eq_dec).
Lemma sets_in l c : In c (sets l) <-> forall u, ~ In u l -> c u = false.
Proof.
  revert c; induction l as [|k l IH]; intro c; simpl; [split; [intros [<-|[]]; reflexivity | left; extensionality u; symmetry; auto]|].
  rewrite in_app_iff, !in_map_iff. split; [intros [[c' [<- I]]|[c' [<- I]]] u n; unfold put; destruct (same u k); try (exfalso; auto; fail); apply (proj1 (IH c') I); auto|].
  intro e. replace c with (put k (c k) (put k false c)) by (extensionality u; unfold put; destruct (same u k) as [->|]; reflexivity).
  assert (I : In (put k false c) (sets l)) by (apply IH; intros u U; unfold put; destruct (same u k); [reflexivity | apply e; intros [|]; congruence]).
  destruct (c k); eauto.
Qed.
Lemma sets_once l : NoDup l -> NoDup (sets l).
Proof.
  induction 1 as [|k l K _ IH]; simpl; [repeat constructor; auto|].
  assert (at_k : forall t c, put k t c k = t) by (intros; unfold put; destruct (same k k); congruence).
  assert (out : forall c, In c (sets l) -> c k = false) by (intros c I; apply (proj1 (sets_in l c) I), K).
  apply once_app.
  1, 2: apply (NoDup_map_inv (put k false)); rewrite map_map, (map_ext_in _ (fun c => c)), map_id; trivial; intros c I; extensionality u; unfold put;
    destruct (same u k) as [->|]; [symmetry; apply out, I | reflexivity].
  intros c I I'. apply in_map_iff in I as [a [<- _]], I' as [b [e _]]. apply (f_equal (fun c => c k)) in e. rewrite !at_k in e. discriminate.
Qed.
(* ---- how many batches have a number of marked places ---- *)
Lemma choose_0 N : choose N 0 = 1. Proof. destruct N; reflexivity. Qed.
Lemma choose_sign N : forall D, 0 <= choose N D /\ ((D <= N)%nat -> 0 < choose N D).
Proof.
  induction N as [|N IH]; intros [|D]; simpl; try (split; intros; lra || lia).
  destruct (IH D) as [A B], (IH (S D)) as [A' _]. split; [lra|]. intro h. apply le_S_n in h. specialize (B h). lra.
Qed.
(* Sums over how many of the D are marked, of a that are and c that are not. *)
Definition marking (a c D : nat) (g : nat -> R) : R := sum (S D) (fun k => choose a k * choose c (D - k) * g k).
Lemma marking_0 a c g : marking a c 0 g = g O. Proof. unfold marking. simpl. rewrite !choose_0. ring. Qed.
Lemma marking_more a c D g : marking (S a) c (S D) g = marking a c (S D) g + marking a c D (fun k => g (S k)).
Proof. unfold marking. rewrite !(sum_first (S D)), Rplus_assoc, <- sum_plus, !choose_0. f_equal. apply sum_ext; intros k _. simpl. ring. Qed.
Lemma marking_others a c D g : marking a (S c) (S D) g = marking a c (S D) g + marking a c D g.
Proof.
  unfold marking. change (sum (S (S D)) ?f) with (sum (S D) f + f (S D)). cbv beta. rewrite Nat.sub_diag, !choose_0.
  rewrite (sum_ext _ _ (fun k => choose a k * choose c (S D - k) * g k + choose a k * choose c (D - k) * g k)), sum_plus; [ring|].
  intros k Hk. rewrite Nat.sub_succ_l by lia. simpl. ring.
Qed.
Lemma marking_none c D g : marking 0 c D g = choose c D * g O.
Proof. unfold marking. rewrite sum_first, Nat.sub_0_r, (sum_ext _ _ (fun _ => 0)), sum_const by (intros; simpl; ring). simpl. ring. Qed.
Lemma marking_one a c D : marking a c D (fun _ => 1) = choose (a + c) D.
Proof. revert D; induction a; intro D; [rewrite marking_none; simpl; ring|]. destruct D; [rewrite marking_0; reflexivity|]. rewrite marking_more, !IHa. simpl. ring. Qed.
Lemma number_put p x t c l : ~ In x l -> number (fun k => p k && put x t c k)%bool (x :: l) = ((if (p x && t)%bool then 1 else 0) + number (fun k => p k && c k)%bool l)%nat.
Proof.
  intro K. simpl. replace (put x t c x) with t by (unfold put; destruct (same x x); [reflexivity | contradiction]).
  rewrite (filter_ext_in (fun k => p k && put x t c k)%bool (fun k => p k && c k)%bool); [destruct (p x && t)%bool; reflexivity|].
  intros k I. unfold put. destruct (same k x) as [->|]; [contradiction | reflexivity].
Qed.
Lemma size_put x t c l : ~ In x l -> number (put x t c) (x :: l) = ((if t then 1 else 0) + number c l)%nat.
Proof. exact (number_put (fun _ => true) x t c l). Qed.
Lemma count_marked (q : point -> bool) g (l : list point) : NoDup l -> forall D,
  over (sets l) (fun c => if Nat.eqb (number c l) D then g (number (fun k => q k && c k)%bool l) else 0) = marking (number q l) (number (fun k => negb (q k)) l) D g.
Proof.
  intro once. revert g. induction once as [|x l K once IH]; intros g D.
  { cbn [sets over filter length]. destruct D; [rewrite marking_0; simpl; ring|]. unfold marking. rewrite (sum_ext _ _ (fun _ => 0)), sum_const; [simpl; ring | intros [|k] _; simpl; ring]. }
  assert (A := fun p t c => number_put p x t c l K).
  assert (A' := fun t c => size_put x t c l K).
  rewrite over_sets, (over_ext (sets l) _ (fun c => if Nat.eqb (number c l) D then g (number (fun k => q k && c k)%bool l) else 0)), IH by (intros; rewrite A, A', Bool.andb_false_r; reflexivity).
  rewrite (over_ext (sets l) _ (fun c => match D with O => 0 | S e => if Nat.eqb (number c l) e then g ((if q x then 1 else 0) + number (fun k => q k && c k)%bool l)%nat else 0 end)).
  2:{ intros c _. rewrite A, A', Bool.andb_true_r. destruct D; reflexivity. }
  cbn [filter]. destruct D as [|e]; [rewrite (lin_zero (over_linear _)), !marking_0; ring|]. rewrite (IH (fun n => g ((if q x then 1 else 0) + n)%nat)).
  destruct (q x); cbn [length negb Nat.add]; [rewrite marking_more | rewrite marking_others; change (fun n => g n) with g]; ring.
Qed.
(* ---- what an anchor sees of a batch, by how many others of its class are in it ---- *)
(* With C classes and k of their instances where there were M and N, and how often a pair is in a batch with its first point. *)
Definition in_batch (s d : list R) : list R := match s, d with _ :: _ :: r, [C; k] => C :: k :: r | _, _ => s end.
Definition shares (s d : list R) (a : list bool) : R :=
  match s, d, a with
  | M :: N :: _, [C; k], false :: _ => (C - 1) / (M - 1) * (k / N)
  | M :: N :: _, [C; k], true :: false :: _ => (k - 1) / (N - 1) | _, _, _ => 1 end.
(* What is the same for all other instances of a class, and for all other classes. *)
Definition nested (s : list nat) (f : list bool -> R) : Prop := exists x y,
  (forall a, length (true :: false :: a) = length s -> f (true :: false :: a) = x) /\ forall a, length (false :: a) = length s -> f (false :: a) = y.
Lemma nested_both (F : R -> R -> R) s f h : nested s f -> nested s h -> nested s (fun a => F (f a) (h a)).
Proof. intros [x [y [A B]]] [x' [y' [A' B']]]. exists (F x x'), (F y y'). split; intros; [rewrite A, A' | rewrite B, B']; auto. Qed.
(* The gradient by relation, times tau. *)
Definition batch_gradient (sizes draws : list R) (tau : R) (terms : list term) (h : list bool -> R) (a : list bool) : R :=
  shares sizes draws a * over terms (fun t => weight t * (denominator t a * exp (h a / tau) / partition (in_batch sizes draws) tau h t
    - positives t a / row (in_batch sizes draws) (positives t))).

Ltac nest := eexists; eexists; split; intros a_ e_; each_pattern a_ e_; reflexivity.
Lemma zero_over x : 0 / x = 0. Proof. unfold Rdiv. ring. Qed.
Definition has (b : batch) (u : point) : R := if b u then 1 else 0.
Definition total_in (s : list nat) (b : batch) (f : point -> R) : R := total s (fun w => if b w then f w else 0).
Definition swapped (x y j : nat) : nat := if Nat.eqb j x then y else if Nat.eqb j y then x else j.
Ltac eqbs := repeat match goal with |- context [Nat.eqb ?a ?b] => is_var a; is_var b; destruct (Nat.eqb_spec a b); subst; simpl end.
Lemma swapped_back x y j : swapped x y (swapped x y j) = j.
Proof. unfold swapped. eqbs; congruence. Qed.
Lemma swapped_in x y N j : (x < N)%nat -> (y < N)%nat -> (j < N)%nat -> (swapped x y j < N)%nat.
Proof. unfold swapped. eqbs; trivial. Qed.
Lemma number_moved {T} (S : T -> T) l p : (forall u, S (S u) = u) -> NoDup l -> (forall u, In u l -> In (S u) l) -> number (fun u => p (S u)) l = number p l.
Proof. intros. apply INR_eq. rewrite !number_over. apply (over_moved S l (fun u => if p u then 1 else 0)); assumption. Qed.

(* x exchanged with y, and in them j with l. *)
Definition exchange (x j y l : nat) (u : point) : point :=
  match u with i :: n :: v => swapped x y i :: (if Nat.eqb i x || Nat.eqb i y then swapped j l n else n)%bool :: v | _ => u end.
Lemma exchange_back x j y l u : exchange x j y l (exchange x j y l u) = u.
Proof. destruct u as [|i [|n v]]; try reflexivity. simpl. unfold swapped. eqbs; congruence. Qed.
Lemma exchange_in M N x j y l u : (x < M)%nat -> (j < N)%nat -> (y < M)%nat -> (l < N)%nat -> In u (places M N) -> In (exchange x j y l u) (places M N).
Proof.
  intros X J Y L U. apply place_in in U as [i [n [-> [Hi Hn]]]]. apply place_in. do 2 eexists. split; [reflexivity|].
  split; [|destruct (_ || _)%bool]; trivial; apply swapped_in; trivial.
Qed.
Lemma class_moved N b x j y l i v : (j < N)%nat -> (l < N)%nat -> in_class N (fun u => b (exchange x j y l u)) i v = in_class N b (swapped x y i) v.
Proof.
  intros J L. unfold in_class. simpl. destruct (_ || _)%bool; [|reflexivity]. apply (number_moved (swapped j l) (seq 0 N) (fun n => b (swapped x y i :: n :: v))).
  - apply swapped_back.
  - apply seq_NoDup.
  - intros n H. apply in_seq in H. apply in_seq. split; [lia | apply swapped_in; lia].
Qed.
Lemma places_moved M N x j y l c : (x < M)%nat -> (j < N)%nat -> (y < M)%nat -> (l < N)%nat -> number (fun u => c (exchange x j y l u)) (places M N) = number c (places M N).
Proof. intros. apply number_moved; [apply exchange_back | apply places_once | intros; apply exchange_in; assumption]. Qed.
(* Batches that stay the same when instances are exchanged, and have B of them. *)
Section Seen.
Variables (M N : nat) (r : list nat) (good : nat -> nat -> batch -> bool) (B : nat).
Notation s := (M :: N :: r).
Notation every := (batches_with good s).
Notation having u := (filter (fun b : batch => b u) every).
Notation Rs := (map INR s).
Notation T := (total r (fun _ => 1)).
Definition draws_seeing (k : nat) : list R := [INR B / (INR k + 1); INR k + 1].
Notation inside k := (in_batch Rs (draws_seeing k)).
Notation seen := (others s).
Hypothesis some : (0 < M)%nat /\ (0 < N)%nat.
Hypothesis sized : forall c, good M N c = true -> number c (places M N) = B.
Hypothesis moved : forall x j y l c, (x < M)%nat -> (j < N)%nat -> (y < M)%nat -> (l < N)%nat -> good M N c = true -> good M N (fun u => c (exchange x j y l u)) = true.
Lemma in_every b : In b every -> exists c, b = (fun u => c (firstn 2 u)) /\ good M N c = true.
Proof. intro I. apply in_map_iff in I as [c [<- I]]. apply filter_In in I as [_ G]. eauto. Qed.
Lemma fibre b i j v : In b every -> b (i :: j :: v) = b [i; j].
Proof. intro I. destruct (in_every b I) as [c [-> _]]. reflexivity. Qed.
Lemma seen_fibre b i j v : In b every -> seen b (i :: j :: v) = seen b [i; j].
Proof. intro I. destruct (in_every b I) as [c [-> _]]. reflexivity. Qed.
Definition in_row (b : batch) (i : nat) : R := sum N (fun j => has b [i; j]).
Lemma size b : In b every -> sum M (in_row b) = INR B.
Proof. intro I. destruct (in_every b I) as [c [-> G]]. rewrite <- (sized c G), number_over, over_places. reflexivity. Qed.
Lemma row_is b i j : (j < N)%nat -> b [i; j] = true -> in_row b i = INR (seen b [i; j]) + 1.
Proof.
  intros Hj h. simpl. rewrite <- S_INR, Nat.succ_pred; [symmetry; unfold in_row; rewrite sum_over; apply number_over|]. intro z. apply length_zero_iff_nil in z.
  assert (K : In j (filter (fun k => b [i; k]) (seq 0 N))) by (apply filter_In; split; [apply in_seq; lia | exact h]). rewrite z in K. exact K.
Qed.
Lemma exchanged x j y l G : (x < M)%nat -> (j < N)%nat -> (y < M)%nat -> (l < N)%nat -> over every (fun b => G (fun u => b (exchange x j y l u))) = over every G.
Proof.
  intros X J Y L. simpl. rewrite !over_map. set (S := exchange x j y l). set (H := fun c => G (fun u => c (firstn 2 u))).
  transitivity (over (filter (good M N) (sets (places M N))) (fun c => H (fun u => c (S u)))).
  - apply over_ext; intros c _. unfold H. f_equal. extensionality u. destruct u as [|i [|n v]]; reflexivity.
  - apply (over_moved (fun c u => c (S u))).
    + intro c. extensionality u. f_equal. apply exchange_back.
    + apply NoDup_filter, sets_once, places_once.
    + intros c I. apply filter_In in I as [I g]. apply filter_In. split; [|apply moved; assumption]. apply sets_in. intros u U. apply (proj1 (sets_in _ _) I).
      contradict U. rewrite <- (exchange_back x j y l u). apply exchange_in; assumption.
Qed.
(* What an anchor sees in the batches that have it, whichever anchor it is. *)
Lemma having_over u f : over (having u) f = over every (fun b => has b u * f b).
Proof. rewrite over_filter. apply over_ext; intros b _. unfold has. destruct (b u); ring. Qed.
Definition all_seen (i j : nat) (g : nat -> R) : R := over (having [i; j]) (fun b => g (seen b [i; j])).
Notation all := (all_seen 0 0).
Lemma law i j g : (i < M)%nat -> (j < N)%nat -> over every (fun b => has b [i; j] * g (seen b [i; j])) = all g.
Proof.
  intros Hi Hj. unfold all_seen. rewrite having_over, <- (exchanged 0 0 i j (fun b : batch => has b [0; 0]%nat * g (seen b [0; 0]%nat))) by lia.
  apply over_ext; intros b I. f_equal. simpl. rewrite class_moved by lia. reflexivity.
Qed.
Lemma total_batch b f : In b every -> total_in s b f = sum M (fun i => sum N (fun j => has b [i; j] * total r (fun v => f (i :: j :: v)))).
Proof.
  intro I. apply sum_ext; intros i Hi. apply sum_ext; intros j Hj. rewrite <- total_scal. apply total_ext; intros v _. unfold has. rewrite (fibre b i j v I). destruct (b [i; j]); ring.
Qed.
Lemma alike b : In b every -> total_in s b (fun _ => 1) = INR B * T.
Proof.
  intro I. rewrite total_batch, <- (size b I), Rmult_comm, <- sum_scal by exact I. apply sum_ext; intros i _. unfold in_row. rewrite <- sum_scal. apply sum_ext; intros; ring.
Qed.
Lemma rows b u f : In b every -> nested s f -> valid s u -> b u = true -> total_in s b (fun w => f (agree u w)) = row (inside (seen b u)) f.
Proof.
  intros I [x [y [Hx Hy]]] Hu Hb. destruct u as [|i [|j v]]; simpl in Hu; try tauto. destruct Hu as [Hi [Hj Hv]].
  rewrite (fibre b i j v I) in Hb. rewrite (seen_fibre b i j v I), total_batch by exact I. assert (K := row_is b i j Hj Hb). set (k := seen b [i; j]) in *.
  unfold draws_seeing. cbn [map in_batch row agree]. rewrite <- !(total_agree r _ v Hv).
  assert (mine : total r (fun w => f (true :: false :: agree v w)) = x * T) by (rewrite <- total_const; apply total_ext; intros; apply Hx; simpl; rewrite agree_length with (s := r); trivial).
  assert (other : forall c, total r (fun w => f (false :: c :: agree v w)) = y * T) by (intro; rewrite <- total_const; apply total_ext; intros; apply Hy; simpl; rewrite agree_length with (s := r); trivial).
  rewrite mine, !other. set (own := total r (fun w => f (true :: true :: agree v w))).
  transitivity (sum M (fun i' => (if Nat.eqb i i' then own - x * T + (x - y) * T * in_row b i' else 0) + y * T * in_row b i')).
  - apply sum_ext; intros i' _. unfold in_row. rewrite <- !sum_scal. destruct (Nat.eqb_spec i i') as [<-|ne]; [|rewrite Rplus_0_l; apply sum_ext; intros; rewrite other; ring].
    transitivity (sum N (fun j' => (if Nat.eqb j j' then own - x * T else 0) + x * T * has b [i; j'])); [|rewrite sum_plus, (sum_pick N j (fun _ => own - x * T) Hj), !sum_scal; ring].
    apply sum_ext; intros j' _. destruct (Nat.eqb_spec j j') as [<-|]; [unfold has; rewrite Hb; fold own | rewrite mine]; ring.
  - rewrite sum_plus, sum_pick, sum_scal, (size b I), K by exact Hi. assert (Q := pos_INR k). field. lra.
Qed.
(* How often another instance is with it: those in its class alike, and those in other classes. *)
Lemma pairs u w g : valid s u -> valid s w -> over every (fun b => has b u * has b w * g (seen b u)) = all (fun k => shares Rs (draws_seeing k) (agree u w) * g k).
Proof.
  destruct u as [|i [|j u]], w as [|x [|l w]]; simpl valid; try tauto. intros [Hi [Hj _]] [Hx [Hl _]].
  set (Q := fun y k => over every (fun b => has b [i; j] * has b [y; k] * g (seen b [i; j]))).
  transitivity (Q x l); [apply over_ext; intros b I; unfold has; rewrite seen_fibre, (fibre b i j u I), (fibre b x l w I) by exact I; reflexivity|].
  assert (own : Q i j = all g) by (rewrite <- (law i j) by assumption; apply over_ext; intros b _; unfold has; destruct (b [i; j]); ring).
  assert (row_ : forall y, sum N (Q y) = over every (fun b => has b [i; j] * g (seen b [i; j]) * in_row b y)).
  { intro y. unfold Q, in_row. rewrite (lin_over (sum_linear N)). apply over_ext; intros b _. rewrite <- sum_scal. apply sum_ext; intros; ring. }
  assert (mine : sum N (Q i) = all (fun k => (INR k + 1) * g k)).
  { rewrite row_, <- (law i j) by assumption. apply over_ext; intros b _. unfold has. destruct (b [i; j]) eqn:h; [rewrite (row_is b i j Hj h)|]; ring. }
  assert (in_all : sum M (fun y => sum N (Q y)) = all (fun k => INR B * g k)).
  { rewrite <- (law i j) by assumption. rewrite (sum_ext M _ _ (fun y _ => row_ y)), (lin_over (sum_linear M)). apply over_ext; intros b I. rewrite sum_scal, (size b I). ring. }
  assert (same_ : forall y k, (y < M)%nat -> (k < N)%nat -> ~ (x = i /\ l = j) -> ~ (y = i /\ k = j) -> (i = x <-> i = y) -> Q y k = Q x l).
  { intros y k Hy Hk a a' e. unfold Q. etransitivity; [|exact (exchanged x l y k (fun b => has b [i; j] * has b [x; l] * g (seen b [i; j])) Hx Hl Hy Hk)]. apply over_ext; intros b _.
    assert (stays : swapped x y i = i) by (unfold swapped; eqbs; lia). unfold has. simpl. rewrite class_moved, stays by assumption. 
    unfold swapped. eqbs; reflexivity || lia. }
  assert (share : forall c f f', 0 < c -> (forall k, f k = c * f' k) -> c * Q x l = all f -> Q x l = all f').
  { intros c f f' C e e'. apply Rmult_eq_reg_l with c; [|lra]. rewrite e'. unfold all_seen. rewrite <- over_scal. apply over_ext; intros; apply e. }
  assert (less : forall f f', all (fun k => f k * g k) - all (fun k => f' k * g k) = all (fun k => (f k - f' k) * g k)).
  { intros. unfold all_seen. rewrite <- (lin_minus (over_linear _)). apply over_ext; intros; ring. }
  cbn [agree]. destruct (Nat.eqb_spec i x) as [<-|ne]; [destruct (Nat.eqb_spec j l) as [<-|ne]|].
  - rewrite own. apply over_ext; intros. simpl. ring.
  - assert (1 < INR N) by (apply (lt_INR 1); lia). apply (share (INR N - 1) (fun k => (INR k + 1 - 1) * g k)); [lra | intro k; unfold draws_seeing; simpl; field; lra|].
    rewrite <- (less _ (fun _ => 1)), <- mine, (sum_ext N _ (fun k => (if Nat.eqb j k then Q i j else Q i l) * 1)), sum_agree, sum_const, own by
      (trivial; intros k Hk; destruct (Nat.eqb_spec j k) as [<-|]; rewrite ?(same_ i k) by lia; ring).
    replace (all (fun k => 1 * g k)) with (all g) by (apply over_ext; intros; ring). ring.
  - assert (1 < INR M) by (apply (lt_INR 1); lia). assert (0 < INR N) by (apply lt_0_INR; lia). apply (share ((INR M - 1) * INR N) (fun k => (INR B - (INR k + 1)) * g k)); [nra| |].
    + intro k. assert (K := pos_INR k). unfold draws_seeing. simpl. field. lra.
    + rewrite <- less, <- mine, <- in_all, (sum_ext M _ (fun y => (if Nat.eqb i y then sum N (Q i) else INR N * Q x l) * 1)), sum_agree, sum_const by
        (trivial; intros y Hy; destruct (Nat.eqb_spec i y) as [<-|]; try rewrite <- sum_const, (sum_ext N _ (fun _ => Q x l)) by (intros; apply same_; lia); ring). ring.
Qed.
Notation F := (all (fun _ => 1)).
Hypothesis F_pos : 0 < F.
Definition possible (k : nat) : Prop := exists b i j, In b every /\ (i < M)%nat /\ (j < N)%nat /\ b [i; j] = true /\ k = seen b [i; j].
Definition expected (g : nat -> R) : R := over (having [0; 0]%nat) (fun b => / F * g (seen b [0; 0]%nat)).
Lemma expected_linear : linear possible expected.
Proof.
  apply (linear_at (over_linear _) (fun _ => / F) (fun b => seen b [0; 0]%nat)). intros b I. split; [left; apply Rinv_0_lt_compat, F_pos|].
  apply filter_In in I as [I h]. exists b, O, O. tauto.
Qed.
Lemma expected_one : expected (fun _ => 1) = 1.
Proof. unfold expected. rewrite over_scal. apply Rinv_l. apply Rgt_not_eq, F_pos. Qed.
Lemma pairs_expected u w g : valid s u -> valid s w -> over every (fun b => has b u * has b w * g (seen b u)) = F * expected (fun k => shares Rs (draws_seeing k) (agree u w) * g k).
Proof. intros. rewrite pairs by assumption. unfold expected. rewrite over_scal. fold (all (fun k => shares Rs (draws_seeing k) (agree u w) * g k)). field. lra. Qed.
Lemma F_is : F * total s (fun _ => 1) = INR B * T * INR (length every).
Proof.
  rewrite <- total_scal, <- over_one, <- over_scal, (total_ext s _ (fun u => over every (fun b => has b u))), (lin_over (total_linear s)).
  - apply over_ext; intros b I. rewrite Rmult_1_r. apply (alike b I).
  - intros [|i [|j u]] Hu; simpl in Hu; try tauto. rewrite Rmult_1_r, <- (law i j) by tauto. apply over_ext; intros b I. unfold has. rewrite (fibre b i j u I). ring.
Qed.
Variables (tau : R) (terms : nat -> list term) (h : list bool -> R).
Definition batch_anchors (u : point) (x : point -> R) : R :=
  over (having u) (fun b => / F * over (terms (seen b u)) (batch_anchor_loss s tau b (fun _ => x) u)).
Theorem batch_mean : mean_over every s tau (fun b u => terms (seen b u)) = mean_loss s batch_anchors.
Proof.
  extensionality H. unfold mean_over, mean_loss, batch_anchors. set (one_ := fun b u => over (terms (seen b u)) (batch_anchor_loss s tau b H u)).
  rewrite (total_ext s (fun u => over _ _) (fun u => / F * over every (fun b => if b u then one_ b u else 0))), total_scal, (lin_over (total_linear s)) by (intros; rewrite over_scal, over_filter; reflexivity).
  rewrite (over_ext every _ (fun b => / (INR B * T) * total s (fun u => if b u then one_ b u else 0))), over_scal by (intros b I; rewrite <- (alike b I); apply Rmult_comm).
  unfold Rdiv. rewrite (Rmult_comm (/ F)), (Rmult_assoc _ (/ F)), <- Rinv_mult, F_is, !Rinv_mult. ring.
Qed.
Hypothesis tau_pos : 0 < tau.
Hypothesis ok : forall k, possible k -> convex (inside k) tau (terms k) h.
Hypothesis nest : nested s h /\ forall k t, In t (terms k) -> nested s (denominator t) /\ nested s (positives t).
Lemma of_having b u f : In b (having u) -> valid s u -> nested s f ->
  possible (seen b u) /\ total s (fun w => has b w * f (agree u w)) = row (inside (seen b u)) f.
Proof.
  intros I Hu Nf. apply filter_In in I as [I Hb]. split.
  - destruct u as [|i [|j v]]; simpl in Hu; try tauto. rewrite (fibre b i j v I) in Hb. exists b, i, j. rewrite <- (seen_fibre b i j v I). tauto.
  - rewrite <- (rows b u f I Nf Hu Hb). apply total_ext; intros w _. unfold has. destruct (b w); ring.
Qed.
Theorem batch_smooth : smooth_at s batch_anchors (fun a => expected (fun k => batch_gradient Rs (draws_seeing k) tau (terms k) h a)) h (/ tau).
Proof.
  split; [apply Rinv_0_lt_compat, tau_pos|]. intros u Hu. assert (L := total_linear s). destruct nest as [Nh Nt].
  assert (Z : forall b t, In b (having u) -> In t (terms (seen b u)) -> possible (seen b u) /\
    total s (fun w => has b w * denominator t (agree u w) * exp (h (agree u w) / tau)) = partition (inside (seen b u)) tau h t).
  { intros b t Hb Ht. unfold partition. destruct (of_having b u _ Hb Hu (nested_both (fun x y => x * exp (y / tau)) s _ _ (proj1 (Nt _ t Ht)) Nh)) as [P <-].
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
    + rewrite (over_ext every _ (fun b => has b u * has b w * G (seen b u))), pairs_expected by (assumption || (intros b _; unfold has; destruct (b u); ring)). rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. reflexivity.
    + intros b Hb. unfold G. rewrite <- !over_scal. apply over_ext; intros t Ht. cbn [fst snd].
      destruct (Z b t Hb Ht) as [_ ->]. unfold Rdiv. ring.
Qed.
End Seen.
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

(* ---- balanced batches ---- *)
Section Balanced.
Variables (M N : nat) (r : list nat) (C k : nat).
Notation s := (M :: N :: r).
Notation every := (batches_with (balanced C k) s).
Hypothesis ranges : (1 <= C <= M)%nat /\ (1 <= k <= N)%nat.
Notation E := (expected M N r (balanced C k)).
Lemma balanced_size c : balanced C k M N c = true -> number c (places M N) = (C * k)%nat.
Proof. intro G. apply Bool.andb_true_iff in G as [G _]. apply Nat.eqb_eq, G. Qed.
Lemma balanced_moved x j y l c : (x < M)%nat -> (j < N)%nat -> (y < M)%nat -> (l < N)%nat ->
  balanced C k M N c = true -> balanced C k M N (fun u => c (exchange x j y l u)) = true.
Proof.
  intros X J Y L. unfold balanced. rewrite places_moved, !Bool.andb_true_iff, !forallb_forall by assumption. intros [n h]. split; [exact n|]. intros i I.
  rewrite class_moved by assumption. apply in_seq in I. apply h, in_seq. split; [lia | apply swapped_in; lia].
Qed.
Lemma balanced_seen n : possible M N r (balanced C k) n -> n = (k - 1)%nat.
Proof.
  intros [b [i [j [I [Hi [Hj [h ->]]]]]]]. destruct (in_every M N r _ b I) as [c [-> G]]. apply Bool.andb_true_iff in G as [_ G]. rewrite forallb_forall in G.
  assert (n := G i ltac:(apply in_seq; lia)). apply Bool.orb_true_iff in n as [n|n]; apply Nat.eqb_eq in n; [|simpl; change (in_class _ _ _ _) with (in_class N c i []); lia].
  apply length_zero_iff_nil in n. assert (K : In j (filter (fun j => c [i; j]) (seq 0 N))) by (apply filter_In; split; [apply in_seq; lia | exact h]). rewrite n in K. destruct K.
Qed.
Lemma first_number n K : number (fun j => Nat.ltb j n) (seq 0 K) = Nat.min n K.
Proof. induction K; [rewrite Nat.min_0_r; reflexivity|]. rewrite seq_S, filter_app, app_length, IHK. simpl. destruct (Nat.ltb_spec K n); simpl; lia. Qed.
Lemma some_balanced : 0 < all_seen M N r (balanced C k) 0 0 (fun _ => 1).
Proof.
  set (c := fun u => match u with [i; j] => (Nat.ltb i C && Nat.ltb j k)%bool | _ => false end).
  assert (A : forall i, in_class N c i [] = if Nat.ltb i C then k else O).
  { intro i. unfold in_class. simpl. destruct (Nat.ltb i C); simpl; [rewrite first_number; lia | induction (seq 0 N); trivial]. }
  unfold all_seen. rewrite over_one. apply lt_0_INR. enough (I : In (fun u => c (firstn 2 u)) (filter (fun b : batch => b [0; 0]%nat) every)) by (destruct (filter _ every); [destruct I | simpl; lia]).
  apply filter_In. split; [|simpl; rewrite !(proj2 (Nat.ltb_lt _ _)) by lia; reflexivity]. apply (in_map (fun c u => c (firstn 2 u))), filter_In. split.
  - apply sets_in. intros u U. destruct (c u) eqn:e; [exfalso; apply U | reflexivity]. destruct u as [|i [|j [|]]]; try discriminate.
    apply Bool.andb_true_iff in e as [a b]. apply Nat.ltb_lt in a, b. apply place_in. exists i, j. repeat split; lia.
  - apply Bool.andb_true_iff. split; [apply Nat.eqb_eq, INR_eq | apply forallb_forall; intros i _; rewrite A; destruct (Nat.ltb i C); rewrite Nat.eqb_refl, ?Bool.orb_true_r; reflexivity].
    rewrite number_over, over_places, mult_INR. transitivity (sum M (fun i => INR k * (if Nat.ltb i C then 1 else 0))).
    + apply sum_ext; intros i Hi. rewrite sum_over, <- number_over. change (number _ _) with (in_class N c i []). rewrite A. destruct (Nat.ltb i C); simpl; ring.
    + rewrite sum_scal, sum_over, <- number_over, first_number, Nat.min_l by lia. ring.
Qed.
Lemma seeing_others g : E g = g (k - 1)%nat.
Proof.
  assert (L := expected_linear M N r (balanced C k) ltac:(lia) some_balanced). rewrite (lin_ext L g (fun _ => g (k - 1)%nat * 1)), (lin_scal L), expected_one by (exact some_balanced || (intros n P; rewrite (balanced_seen n P); ring)). ring.
Qed.
Lemma draws_are : draws_seeing (C * k) (k - 1) = [INR C; INR k].
Proof. unfold draws_seeing. rewrite mult_INR, minus_INR by lia. assert (0 < INR k) by (apply lt_0_INR; lia). simpl (INR 1). f_equal; [field; lra | f_equal; ring]. Qed.
Variables (tau : R) (terms : list term) (h : list bool -> R).
Notation anchors := (batch_anchors M N r (balanced C k) tau (fun _ => terms)).
Theorem alike_mean d : batches s d = every -> batch_loss s d tau terms = mean_loss s anchors.
Proof. intro e. unfold batch_loss. rewrite e. exact (batch_mean M N r (balanced C k) (C * k) ltac:(lia) balanced_size balanced_moved tau (fun _ => terms)). Qed.
Hypothesis ok : convex (in_batch (map INR s) [INR C; INR k]) tau terms h.
Hypothesis nest : nested s h /\ forall t, In t terms -> nested s (denominator t) /\ nested s (positives t).
Theorem alike_smooth : smooth_at s anchors (batch_gradient (map INR s) [INR C; INR k] tau terms h) h (/ tau).
Proof.
  rewrite <- draws_are. replace (batch_gradient _ _ _ _ _) with (fun a => E (fun n => batch_gradient (map INR s) (draws_seeing (C * k) n) tau terms h a)) by (extensionality a; apply seeing_others).
  apply (batch_smooth M N r (balanced C k) (C * k) ltac:(lia) balanced_size balanced_moved some_balanced tau (fun _ => terms) h (tau_pos _ _ _ _ ok)).
  - intros n P. rewrite (balanced_seen n P), draws_are. exact ok.
  - split; [apply nest | intros _; apply nest].
Qed.
End Balanced.
(* ---- random batches: B of all instances ---- *)
Section Random.
Variables (M N : nat) (r : list nat) (B : nat).
Notation s := (M :: N :: r).
Notation all := (places M N).
Notation good := (fun M N c => Nat.eqb (number c (places M N)) B).
Notation every := (random_batches s B).
Hypothesis two : (2 <= M)%nat /\ (2 <= N)%nat.
Hypothesis B_range : (1 <= B <= M * N)%nat.
Notation mean := (hypergeometric (N - 1) (B - 1) (M * N - 1)).
Notation F := (choose (M * N - 1) (B - 1)).
Notation E := (expected M N r good).
Lemma F_pos : 0 < F. Proof. apply (choose_sign (M * N - 1)); lia. Qed.
Lemma good_size c : good M N c = true -> number c all = B. Proof. apply Nat.eqb_eq. Qed.
Lemma good_moved x j y l c : (x < M)%nat -> (j < N)%nat -> (y < M)%nat -> (l < N)%nat -> good M N c = true -> good M N (fun u => c (exchange x j y l u)) = true.
Proof. intros. cbv beta. rewrite places_moved; assumption. Qed.
Lemma seen_at_most k : possible M N r good k -> INR k + 1 <= INR N /\ INR k + 1 <= INR B.
Proof.
  intros [b [i [j [I [Hi [Hj [h ->]]]]]]]. rewrite <- (row_is M N r ltac:(lia) b i j Hj h). assert (P : forall i j, 0 <= has b [i; j] <= 1) by (intros i' j'; unfold has; destruct (b [i'; j']); lra). split.
  - rewrite <- (Rmult_1_r (INR N)), <- sum_const. apply (lin_le (sum_linear N)); intros; apply P.
  - rewrite <- (size M N r good B good_size b I), <- (sum_pick M i (in_row N b) Hi). apply (lin_le (sum_linear M)); intros i' _.
    destruct (Nat.eqb i i'); [lra | apply (lin_pos (sum_linear N)); intros; apply P].
Qed.
Definition first_class (u : point) : bool := match u with i :: _ => Nat.eqb 0 i | [] => false end.
Lemma first_size p : number (fun u => first_class u && p u)%bool all = number (fun j => p [0%nat; j]) (seq 0 N).
Proof.
  apply INR_eq. rewrite !number_over, over_places, <- sum_over, <- (sum_pick M 0 (fun i => sum N (fun j => if p [i; j] then 1 else 0))) by lia.
  apply sum_ext; intros [|i] _; [reflexivity | simpl; rewrite sum_const; ring].
Qed.
Lemma random_law g : all_seen M N r good 0 0 g = marking (N - 1) (M * N - N) (B - 1) g.
Proof.
  set (o := [0; 0]%nat). assert (exists l, all = o :: l) as [l e] by (destruct M as [|m], N as [|n]; [lia.. | eexists; reflexivity]).
  assert (once := places_once M N). rewrite e in once. inversion_clear once as [|? ? K once'].
  assert (A : number first_class all = N).
  { rewrite (filter_ext _ (fun u => first_class u && true)%bool), (first_size (fun _ => true)) by (intro; rewrite Bool.andb_true_r; reflexivity). rewrite <- (seq_length N 0) at 2. induction (seq 0 N); simpl; congruence. }
  assert (A' : number (fun u => negb (first_class u)) all = (M * N - N)%nat).
  { apply INR_eq. rewrite minus_INR, mult_INR, number_over, (over_ext _ _ (fun u => 1 - (if first_class u then 1 else 0))), (lin_minus (over_linear _)), <- number_over, A, over_places, !sum_const by
      (nia || (intros u _; destruct (first_class u); simpl; ring)). ring. }
  assert (at_o : forall t c, put o t c o = t) by (intros; unfold put; destruct (same o o); congruence).
  unfold all_seen. rewrite having_over. unfold random_batches, batches_with. rewrite over_map, over_filter, e, over_sets. rewrite e in A, A'. simpl in A, A'.
  rewrite (over_ext _ _ (fun _ => 0)), (lin_zero (over_linear _)), Rplus_0_l by (intros c _; change (has _ _) with (has (put o false c) o); unfold has; rewrite at_o; destruct (Nat.eqb _ B); ring).
  replace (N - 1)%nat with (number first_class l) by lia. rewrite <- A', <- count_marked by exact once'. apply over_ext; intros c _.
  change (has _ _) with (has (put o true c) o). unfold has. rewrite at_o. change (others _ _ _) with (pred (number (fun j => put o true c [0%nat; j]) (seq 0 N))).
  rewrite <- first_size, e, number_put, size_put by exact K. destruct (Nat.eqb_spec (1 + number c l) B), (Nat.eqb_spec (number c l) (B - 1)); simpl; lia || ring.
Qed.
Lemma random_pos : 0 < all_seen M N r good 0 0 (fun _ => 1).
Proof. rewrite random_law, marking_one. replace (N - 1 + (M * N - N))%nat with (M * N - 1)%nat by nia. apply F_pos. Qed.
Lemma mean_is g : E g = mean g.
Proof.
  unfold expected. rewrite over_scal. fold (all_seen M N r good 0 0 g) (all_seen M N r good 0 0 (fun _ => 1)). rewrite !random_law, marking_one. unfold hypergeometric, marking.
  replace (N - 1 + (M * N - N))%nat with (M * N - 1)%nat by nia. replace (M * N - 1 - (N - 1))%nat with (M * N - N)%nat by lia. apply Rmult_comm.
Qed.
Definition seeing (terms alone : list term) (k : nat) : list term := match k with O => alone | S _ => terms end.
Section Written.
Variables (tau : R) (terms alone : list term) (h : list bool -> R).
Notation anchors := (batch_anchors M N r good tau (seeing terms alone)).
Notation G k l := (batch_gradient (map INR s) [INR B / (k + 1); k + 1] tau l h).
Definition random_gradient (a : list bool) : R := E (fun k => batch_gradient (map INR s) (draws_seeing B k) tau (seeing terms alone k) h a).
Theorem random_mean : random_loss s B tau terms alone = mean_loss s anchors.
Proof. exact (batch_mean M N r good B ltac:(lia) good_size good_moved tau (seeing terms alone)). Qed.
Hypothesis ok : (forall K, 1 <= K -> K <= INR N - 1 -> K <= INR B - 1 -> convex (in_batch (map INR s) [INR B / (K + 1); K + 1]) tau terms h)
  /\ convex (in_batch (map INR s) [INR B / (0 + 1); 0 + 1]) tau alone h.
Hypothesis nest : nested s h /\ forall t, In t (terms ++ alone) -> nested s (denominator t) /\ nested s (positives t).
Lemma possible_real k : possible M N r good (S k) -> 1 <= INR (S k) /\ INR (S k) <= INR N - 1 /\ INR (S k) <= INR B - 1.
Proof. intro P. apply seen_at_most in P. assert (Q := pos_INR k). rewrite S_INR in *. lra. Qed.
Theorem random_smooth : smooth_at s anchors random_gradient h (/ tau).
Proof.
  refine (batch_smooth M N r good B ltac:(lia) good_size good_moved random_pos tau (seeing terms alone) h (cltheory_convex.tau_pos _ _ _ _ (proj2 ok)) _ _).
  - intros [|k] Hk; [exact (proj2 ok)|]. destruct (possible_real k Hk) as [a [b c]]. apply (proj1 ok); assumption.
  - split; [apply (proj1 nest)|]. intros k t Ht. apply (proj2 nest), in_or_app. destruct k; auto.
Qed.
Definition mean_linear := expected_linear M N r good ltac:(lia) random_pos.
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
  intros some none. unfold random_gradient. set (g := fun k => batch_gradient (map INR s) (draws_seeing B k) tau (seeing terms alone k) h).
  rewrite (level_mean mean_linear _ g), (eigen_mean mean_linear _ _ g). set (total_gap := _ + _).
  replace total_gap with (E (fun k => eigen (map INR s) ks (g k)) - E (fun k => level (map INR s) (g k) h)); [split; intro; lra|].
  unfold total_gap, mean_of_some, chance_of_none. rewrite <- !mean_is, (Rmult_comm _ c0), <- !(lin_scal mean_linear), <- !(lin_plus mean_linear), <- (lin_minus mean_linear). apply (lin_ext mean_linear).
  intros [|k] Hk; [transitivity c0; [exact none | ring]|]. destruct (possible_real k Hk) as [a [b c]].
  transitivity (c1 + c2 * f (INR (S k))); [exact (some (INR (S k)) a b c) | ring].
Qed.
End Written.
Lemma weighed f : (forall k, 0 <= f k) -> 0 <= mean f /\ forall j, (j <= B - 1)%nat -> (j <= N - 1)%nat -> (B - 1 - j <= M * N - N)%nat -> 0 < f j -> 0 < mean f.
Proof.
  intro pos. assert (P := F_pos). set (w := fun k => choose (N - 1) k * choose (M * N - 1 - (N - 1)) (B - 1 - k) * f k).
  assert (W : forall k, 0 <= w k) by (intro k; repeat apply Rmult_le_pos; try apply choose_sign; apply pos). split.
  - apply Rmult_le_pos; [apply (lin_pos (sum_linear _)); intros; apply W | left; apply Rinv_0_lt_compat, P].
  - intros j a b c h. apply Rdiv_lt_0_compat; [|exact P]. apply Rlt_le_trans with (sum (S (B - 1)) (fun k => if Nat.eqb j k then w k else 0)).
    + rewrite (sum_pick _ j w) by lia. repeat apply Rmult_lt_0_compat; try exact h; apply choose_sign; nia.
    + apply (lin_le (sum_linear _)); intros k _. destruct (Nat.eqb j k); [apply Rle_refl | apply W].
Qed.
Lemma none_sign : 0 <= chance_of_none (N - 1) (B - 1) (M * N - 1).
Proof. apply weighed. intros [|k]; lra. Qed.
Lemma none_pos : (B <= M * N - N + 1)%nat -> 0 < chance_of_none (N - 1) (B - 1) (M * N - 1).
Proof. intro le. apply (weighed _) with O; try lia; try lra. intros [|k]; lra. Qed.
Lemma some_pos : (2 <= B)%nat -> 0 < mean_of_some (N - 1) (B - 1) (M * N - 1) (fun _ => 1).
Proof. intro le. apply (weighed _) with (Nat.max 1 (B - 1 - (M * N - N))); try nia; [intros [|k]; lra|]. destruct (Nat.max _ _) eqn:e; [lia | lra]. Qed.
End Random.
