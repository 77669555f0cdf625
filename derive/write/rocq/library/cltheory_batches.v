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
  unfold places. set (row := fun i => map (fun j => [i; j]) (seq 0 N)). induction (seq_NoDup M 0) as [|i l I _ IHl]; simpl; [constructor|].
  enough (A : forall a, NoDup a -> NoDup (map (fun j => [i; j]) a ++ flat_map row l)) by apply A, seq_NoDup. induction 1 as [|j a J _ IHa]; simpl; [exact IHl|]. constructor; [|exact IHa].
  intro H. apply in_app_or in H as [H|H]; [apply in_map_iff in H as [j' [e H]]; injection e as ->; contradiction|].
  apply in_flat_map in H as [i' [I' H]]. apply in_map_iff in H as [j' [e H]]. injection e as -> _. contradiction.
Qed.
Lemma over_sets k l F : over (sets (k :: l)) F = over (sets l) (fun c => F (put k false c)) + over (sets l) (fun c => F (put k true c)).
Proof. simpl. rewrite over_app, !over_map. reflexivity. Qed.
Local Notation same := (list_eq_dec Nat.eq_dec).
Lemma sets_perm l l' F : Permutation l l' -> NoDup l -> over (sets l) F = over (sets l') F.
Proof.
  intro P. revert F. induction P as [|k a b P IH|x y a|a b c P IH P' IH']; intros F once; [reflexivity | | |].
  - rewrite !over_sets, !IH by (inversion once; assumption). reflexivity.
  - assert (e : forall t t' c, put y t (put x t' c) = put x t' (put y t c)).
    { intros t t' c. extensionality u. unfold put. destruct (same u y), (same u x); try reflexivity. inversion once as [|? ? K]. exfalso; apply K; left; congruence. }
    rewrite !over_sets. rewrite !(over_ext (sets a) (fun c => F (put y _ (put x _ c))) _ (fun c _ => f_equal F (e _ _ c))). ring.
  - rewrite IH, IH'; [reflexivity | exact (Permutation_NoDup P once) | exact once].
Qed.
Lemma sets_all l c : exists c', In c' (sets l) /\ forall u, In u l -> c' u = c u.
Proof.
  induction l as [|k l [c' [I e]]]; [eexists; split; [left; reflexivity | intros u []]|]. exists (put k (c k) c'). split.
  - simpl. apply in_or_app. destruct (c k); [right | left]; apply in_map, I.
  - intros u U. unfold put. destruct (same u k) as [E|ne]; [rewrite E; reflexivity | apply e; destruct U; [congruence | assumption]].
Qed.
Section Moved.
Variable S : point -> point.
Hypothesis back : forall u, S (S u) = u.
Lemma moved_perm l : NoDup l -> (forall u, In u l -> In (S u) l) -> Permutation (map S l) l.
Proof.
  intros once into. apply NoDup_Permutation; [apply FinFun.Injective_map_NoDup; [intros u v e; rewrite <- (back u), e; apply back | exact once] | exact once|].
  intro u. rewrite in_map_iff. split; [intros [v [<- H]]; auto | intro H; exists (S u); auto].
Qed.
Lemma sets_moved l F : over (sets l) (fun c => F (fun u => c (S u))) = over (sets (map S l)) F.
Proof.
  revert F. induction l as [|k l IH]; intro F; [reflexivity|]. simpl map. rewrite !over_sets, <- !IH.
  f_equal; apply over_ext; intros c _; f_equal; extensionality u; unfold put; destruct (same (S u) k) as [e|ne], (same u (S k)) as [e'|ne']; try reflexivity; exfalso;
    first [apply ne'; rewrite <- e, back; reflexivity | apply ne; rewrite e', back; reflexivity].
Qed.
End Moved.
(* ---- how many batches have a number of marked places ---- *)
Lemma choose_0 N : choose N 0 = 1. Proof. destruct N; reflexivity. Qed.
Lemma choose_sign N : forall D, 0 <= choose N D /\ ((D <= N)%nat -> 0 < choose N D) /\ ((N < D)%nat -> choose N D = 0).
Proof.
  induction N as [|N IH]; intros [|D]; simpl; try (repeat split; intros; lra || lia).
  destruct (IH D) as [A [B C]], (IH (S D)) as [A' [B' C']]. repeat split; intros; try lra.
  - assert (0 < choose N D) by (apply B; lia). lra.
  - rewrite C, C' by lia. ring.
Qed.
Lemma sum_first n f : sum (S n) f = f O + sum n (fun k => f (S k)).
Proof. induction n; [simpl; ring|]. change (sum (S (S n)) f) with (sum (S n) f + f (S n)). rewrite IHn. simpl. ring. Qed.
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
Lemma number_perm (p : point -> bool) l l' : Permutation l l' -> number p l = number p l'.
Proof. intro P. apply INR_eq. rewrite !number_over. apply over_perm, P. Qed.
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
Lemma row_same r f v : (forall a, length a = length r -> f a = v) -> row r f = v * row r (fun _ => 1).
Proof.
  revert f; induction r; simpl; intros f e; [rewrite e by reflexivity; ring|].
  rewrite (IHr (fun b => f (true :: b))), (IHr (fun b => f (false :: b))) by (intros; apply e; simpl; congruence). ring.
Qed.
Lemma row_one s : row (map INR s) (fun _ => 1) = total s (fun _ => 1).
Proof. induction s; simpl; [reflexivity|]. rewrite sum_const, IHs. ring. Qed.
(* The gradient by relation, times tau. *)
Definition batch_gradient (sizes draws : list R) (tau : R) (terms : list term) (h : list bool -> R) (a : list bool) : R :=
  shares sizes draws a * over terms (fun t => weight t * (denominator t a * exp (h a / tau) / partition (in_batch sizes draws) tau h t
    - positives t a / row (in_batch sizes draws) (positives t))).

Ltac nest := eexists; eexists; split; intros a_ e_; each_pattern a_ e_; reflexivity.
Lemma zero_over x : 0 / x = 0. Proof. unfold Rdiv. ring. Qed.
Definition has (b : batch) (u : point) : R := if b u then 1 else 0.
Definition total_in (s : list nat) (b : batch) (f : point -> R) : R := total s (fun w => if b w then f w else 0).
Definition swapped (x y j : nat) : nat := if Nat.eqb j x then y else if Nat.eqb j y then x else j.
Lemma swapped_back x y j : swapped x y (swapped x y j) = j.
Proof. unfold swapped. destruct (Nat.eqb_spec j x), (Nat.eqb_spec j y); subst; rewrite ?Nat.eqb_refl; repeat match goal with |- context [Nat.eqb ?a ?b] => destruct (Nat.eqb_spec a b) end; congruence. Qed.
Lemma sum_swapped N x y f : (x < N)%nat -> (y < N)%nat -> sum N (fun j => f (swapped x y j)) = sum N f.
Proof.
  intros X Y. rewrite (sum_ext N _ (fun j => f j + ((if Nat.eqb x j then f y - f j else 0) + (if Nat.eqb y j then f x - f j else 0)))).
  - rewrite !sum_plus, (sum_pick N x (fun j => f y - f j) X), (sum_pick N y (fun j => f x - f j) Y). ring.
  - intros j _. unfold swapped. rewrite (Nat.eqb_sym x), (Nat.eqb_sym y). destruct (Nat.eqb_spec j x), (Nat.eqb_spec j y); subst; ring.
Qed.


(* x exchanged with y, and in them j with l. *)
Definition exchange (x j y l : nat) (u : point) : point :=
  match u with i :: n :: v => swapped x y i :: (if Nat.eqb i x || Nat.eqb i y then swapped j l n else n)%bool :: v | _ => u end.
Lemma exchange_back x j y l u : exchange x j y l (exchange x j y l u) = u.
Proof.
  destruct u as [|i [|n v]]; try reflexivity. simpl. rewrite swapped_back. do 2 f_equal. unfold swapped at 1 2.
  destruct (Nat.eqb_spec i x) as [->|a]; [|destruct (Nat.eqb_spec i y) as [->|c]]; simpl; rewrite ?Nat.eqb_refl, ?Bool.orb_true_r; simpl; rewrite ?swapped_back; try reflexivity.
  apply Nat.eqb_neq in a, c. rewrite a, c. reflexivity.
Qed.
Lemma swapped_in x y N j : (x < N)%nat -> (y < N)%nat -> (j < N)%nat -> (swapped x y j < N)%nat.
Proof. unfold swapped. intros. destruct (Nat.eqb j x), (Nat.eqb j y); assumption. Qed.
Lemma number_swapped N x y p : (x < N)%nat -> (y < N)%nat -> number (fun j => p (swapped x y j)) (seq 0 N) = number p (seq 0 N).
Proof. intros X Y. apply INR_eq. rewrite !number_over, <- !sum_over. apply (sum_swapped N x y (fun j => if p j then 1 else 0) X Y). Qed.
Lemma class_moved N b x j y l i v : (j < N)%nat -> (l < N)%nat -> in_class N (fun u => b (exchange x j y l u)) i v = in_class N b (swapped x y i) v.
Proof. intros J L. unfold in_class. simpl. destruct (_ || _)%bool; [apply (number_swapped N j l (fun n => b (swapped x y i :: n :: v)) J L) | reflexivity]. Qed.
Lemma seen_moved M N r b x j y l i n v : (j < N)%nat -> (l < N)%nat -> (i = x <-> i = y) -> others (M :: N :: r) (fun u => b (exchange x j y l u)) (i :: n :: v) = others (M :: N :: r) b (i :: n :: v).
Proof.
  intros Hj Hl e. simpl. rewrite class_moved by assumption. do 2 f_equal. unfold swapped. destruct (Nat.eqb_spec i x), (Nat.eqb_spec i y); subst; tauto.
Qed.
Lemma places_moved M N x j y l : (x < M)%nat -> (j < N)%nat -> (y < M)%nat -> (l < N)%nat -> Permutation (map (exchange x j y l) (places M N)) (places M N).
Proof.
  intros X J Y L. apply moved_perm; [apply exchange_back | apply places_once|]. intros u U. apply place_in in U as [i [n [-> [Hi Hn]]]]. apply place_in. eexists; eexists. split; [reflexivity|].
  split; [apply swapped_in; assumption | destruct (_ || _)%bool; [apply swapped_in|]; assumption].
Qed.
Lemma number_moved M N x j y l c : (x < M)%nat -> (j < N)%nat -> (y < M)%nat -> (l < N)%nat -> number (fun u => c (exchange x j y l u)) (places M N) = number c (places M N).
Proof.
  intros. apply INR_eq. rewrite !number_over. transitivity (over (map (exchange x j y l) (places M N)) (fun u => if c u then 1 else 0)); [rewrite over_map; reflexivity | apply over_perm, places_moved; assumption].
Qed.
(* Batches that stay the same when instances are exchanged, and have B of them. *)
Section Seen.
Variables (M N : nat) (r : list nat) (good : nat -> nat -> batch -> bool) (B : nat) (F : R) (possible : nat -> Prop) (E : (nat -> R) -> R).
Notation s := (M :: N :: r).
Notation every := (batches_with good s).
Notation Rs := (map INR s).
Notation T := (total r (fun _ => 1)).
Definition draws_seeing (k : nat) : list R := [INR B / (INR k + 1); INR k + 1].
Notation inside k := (in_batch Rs (draws_seeing k)).
Notation seen := (others s).
Hypothesis one : forall N, In N s -> (1 <= N)%nat.
Hypothesis sized : forall c, good M N c = true -> number c (places M N) = B.
Hypothesis moved : forall x j y l c, (x < M)%nat -> (j < N)%nat -> (y < M)%nat -> (l < N)%nat -> good M N (fun u => c (exchange x j y l u)) = good M N c.
Lemma in_every b : In b every -> exists c, b = (fun u => c (firstn 2 u)) /\ good M N c = true.
Proof. intro I. apply in_map_iff in I as [c [<- I]]. apply filter_In in I as [_ G]. eauto. Qed.
Lemma fibre b i j v : In b every -> b (i :: j :: v) = b [i; j].
Proof. intro I. destruct (in_every b I) as [c [-> _]]. reflexivity. Qed.
Lemma size b : In b every -> sum M (fun i => sum N (fun j => has b [i; j])) = INR B.
Proof. intro I. destruct (in_every b I) as [c [-> G]]. rewrite <- (sized c G), number_over, over_places. reflexivity. Qed.
Lemma exchanged x j y l G : (x < M)%nat -> (j < N)%nat -> (y < M)%nat -> (l < N)%nat -> over every (fun b => G (fun u => b (exchange x j y l u))) = over every G.
Proof.
  intros X J Y L. simpl. rewrite !over_map, !over_filter. set (S := exchange x j y l).
  set (H := fun c => if good M N c then G (fun u => c (firstn 2 u)) else 0). transitivity (over (sets (places M N)) (fun c => H (fun u => c (S u)))).
  - apply over_ext; intros c _. unfold H, S. rewrite moved by assumption. destruct (good M N c); [|reflexivity]. f_equal. extensionality u. destruct u as [|i [|n v]]; reflexivity.
  - rewrite (sets_moved S (exchange_back x j y l)). assert (P := places_moved M N x j y l X J Y L).
    apply (sets_perm _ _ _ P). apply (Permutation_NoDup (Permutation_sym P)), places_once.
Qed.
Hypothesis seen_possible : forall b u, In b every -> valid s u -> b u = true -> possible (seen b u).
Hypothesis law : forall i j g, (i < M)%nat -> (j < N)%nat -> over every (fun b => has b [i; j] * g (seen b [i; j])) = F * E g.
Hypothesis E_linear : linear possible E.
Hypothesis E_one : E (fun _ => 1) = 1.
Hypothesis F_pos : 0 < F.
Lemma seen_is b i j v : In b every -> (i < M)%nat -> (j < N)%nat -> b [i; j] = true ->
  seen b (i :: j :: v) = seen b [i; j] /\ sum N (fun j => has b [i; j]) = INR (seen b [i; j]) + 1.
Proof.
  intros I Hi Hj h. split; simpl; unfold in_class; [f_equal; f_equal; apply filter_ext; intro k; apply fibre, I|].
  rewrite <- S_INR, Nat.succ_pred, number_over, <- sum_over; [reflexivity|]. intro z.
  assert (K : In j (filter (fun k => b [i; k]) (seq 0 N))) by (apply filter_In; split; [apply in_seq; lia | exact h]). apply length_zero_iff_nil in z. rewrite z in K. exact K.
Qed.
Lemma total_batch b f : In b every -> total_in s b f = sum M (fun i => sum N (fun j => has b [i; j] * total r (fun v => f (i :: j :: v)))).
Proof.
  intro I. apply sum_ext; intros i Hi. apply sum_ext; intros j Hj. rewrite <- total_scal. apply total_ext; intros v _. unfold has. rewrite (fibre b i j v I). destruct (b [i; j]); ring.
Qed.
Lemma alike b : In b every -> total_in s b (fun _ => 1) = INR B * T.
Proof.
  intro I. rewrite total_batch, <- (size b I), Rmult_comm, <- sum_scal by exact I. apply sum_ext; intros i _. rewrite <- sum_scal. apply sum_ext; intros; ring.
Qed.
Lemma rows b u f : In b every -> nested s f -> valid s u -> b u = true ->
  possible (seen b u) /\ total_in s b (fun w => f (agree u w)) = row (inside (seen b u)) f.
Proof.
  intros I [x [y [Hx Hy]]] Hu Hb. split; [apply seen_possible; assumption|]. destruct u as [|i [|j v]]; simpl in Hu; try tauto. destruct Hu as [Hi [Hj Hv]].
  rewrite (fibre b i j v I) in Hb. destruct (seen_is b i j v I Hi Hj Hb) as [-> K]. set (k := seen b [i; j]) in *. rewrite total_batch by exact I.
  set (own := total r (fun w => f (true :: true :: agree v w))). set (n := fun i => sum N (fun j => has b [i; j])).
  rewrite (sum_ext M _ (fun i' => (if Nat.eqb i i' then own - x * T + (x - y) * T * n i' else 0) + y * T * n i')).
  - rewrite sum_plus, sum_pick, sum_scal by exact Hi. rewrite (size b I : sum M n = INR B). unfold n. rewrite K. unfold draws_seeing. cbn [map in_batch row].
    rewrite <- (total_agree r (fun b => f (true :: true :: b)) v Hv), !(row_same _ (fun b => f (true :: false :: b)) x), !(row_same _ (fun b => f (false :: _ :: b)) y), row_one;
      try (intros; first [apply Hx | apply Hy]; cbn [length]; rewrite map_length in *; auto).
    fold own. assert (Q := pos_INR k). field. lra.
  - intros i' _. unfold n. rewrite <- !sum_scal. destruct (Nat.eqb_spec i i') as [<-|ne].
    + transitivity (sum N (fun j' => (if Nat.eqb j j' then own - x * T else 0) + x * T * has b [i; j'])).
      * apply sum_ext; intros j' _. cbn [agree]. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec j j') as [<-|]; [unfold has; rewrite Hb; fold own; ring|].
        rewrite (total_ext r _ (fun _ => x * 1)), total_scal by (intros w Hw; rewrite Rmult_1_r; apply Hx; simpl; do 2 f_equal; apply agree_length; assumption). ring.
      * rewrite sum_plus, (sum_pick N j (fun _ => own - x * T) Hj), !sum_scal. ring.
    + rewrite Rplus_0_l. apply sum_ext; intros j' _. cbn [agree]. apply Nat.eqb_neq in ne. rewrite ne.
      rewrite (total_ext r _ (fun _ => y * 1)), total_scal by (intros w Hw; rewrite Rmult_1_r; apply Hy; simpl; do 2 f_equal; apply agree_length; assumption). ring.
Qed.
(* Other instances in the class of the anchor are as often with it as one another, and so are those in other classes. *)
Lemma as_often i j v w w' g : (i < M)%nat -> (j < N)%nat -> valid s w -> valid s w' ->
  match w, w' with x :: l :: _, y :: k :: _ => [x; l] <> [i; j] /\ [y; k] <> [i; j] /\ (i = x <-> i = y) | _, _ => False end ->
  over every (fun b => has b (i :: j :: v) * has b w * g (seen b (i :: j :: v))) = over every (fun b => has b (i :: j :: v) * has b w' * g (seen b (i :: j :: v))).
Proof.
  intros Hi Hj Hw Hw'. destruct w as [|x [|l w]], w' as [|y [|k w']]; try tauto. destruct Hw as [Hx [Hl _]], Hw' as [Hy [Hk _]]. intros [a [a' e]].
  etransitivity; [exact (eq_sym (exchanged x l y k (fun b => has b (i :: j :: v) * has b (x :: l :: w) * g (seen b (i :: j :: v))) Hx Hl Hy Hk))|]. apply over_ext; intros b I.
  rewrite (seen_moved M N r b x l y k i j v Hl Hk e). unfold has. simpl exchange.
  replace (swapped x y x) with y by (unfold swapped; rewrite Nat.eqb_refl; reflexivity). rewrite Nat.eqb_refl. simpl orb. cbv iota. replace (swapped l k l) with k by (unfold swapped; rewrite Nat.eqb_refl; reflexivity).
  replace (swapped x y i) with i by (unfold swapped; destruct (Nat.eqb_spec i x), (Nat.eqb_spec i y); subst; tauto).
  replace (if (Nat.eqb i x || Nat.eqb i y)%bool then swapped l k j else j) with j; [rewrite (fibre b y k w I), (fibre b y k w' I); reflexivity|].
  destruct (Nat.eqb_spec i x) as [<-|n]; [assert (i = y) as <- by tauto|destruct (Nat.eqb_spec i y); [tauto | reflexivity]]. simpl. unfold swapped. destruct (Nat.eqb_spec j l), (Nat.eqb_spec j k); congruence.
Qed.
Lemma averaged u w g f : valid s u -> nested s f ->
  (forall w', valid s w' -> f (agree u w') <> 0 -> over every (fun b => has b u * has b w' * g (seen b u)) = over every (fun b => has b u * has b w * g (seen b u))) ->
  row Rs f * over every (fun b => has b u * has b w * g (seen b u)) = F * E (fun k => row (inside k) f * g k).
Proof.
  intros Hu Nf same_. rewrite <- (total_agree s f u Hu), Rmult_comm, <- total_scal.
  rewrite (total_ext s _ (fun v => over every (fun b => f (agree u v) * (has b u * has b v * g (seen b u))))), (lin_over (total_linear s)).
  - destruct u as [|i [|j u]]; simpl in Hu; try tauto. destruct Hu as [Hi [Hj Hu]]. rewrite <- (law i j (fun k => row (inside k) f * g k) Hi Hj). apply over_ext; intros b I.
    assert (e := fibre b i j u I). unfold has at 3. destruct (b [i; j]) eqn:h; unfold has at 1; rewrite e; [|rewrite (total_ext s _ (fun _ => 0)) by (intros; ring); rewrite (lin_zero (total_linear s)); ring].
    destruct (seen_is b i j u I Hi Hj h) as [<- _]. destruct (rows b (i :: j :: u) f I Nf (conj Hi (conj Hj Hu)) e) as [_ <-].
    unfold total_in. rewrite Rmult_1_l, Rmult_comm, <- total_scal. apply total_ext; intros v _. unfold has. destruct (b v); ring.
  - intros v Hv. rewrite over_scal, Rmult_comm. destruct (Req_dec (f (agree u v)) 0) as [->|ne]; [ring|]. rewrite <- (same_ v Hv ne). reflexivity.
Qed.
Lemma row_relation A D x y : row (A :: D :: map INR r) (fun a => match a with true :: true :: _ => 0 | true :: false :: _ => x | _ => y end) = ((D - 1) * x + (A - 1) * D * y) * T.
Proof. rewrite <- row_one. simpl. rewrite (row_same _ (fun _ => 0) 0), (row_same _ (fun _ => x) x), !(row_same _ (fun _ => y) y) by reflexivity. ring. Qed.
Lemma pairs u w g : valid s u -> valid s w -> over every (fun b => has b u * has b w * g (seen b u)) = F * E (fun k => shares Rs (draws_seeing k) (agree u w) * g k).
Proof.
  intros Hu Hw. assert (P : 0 < T) by (apply size_pos; intros; apply one; simpl; auto).
  destruct u as [|i [|j u]], w as [|x [|l w]]; try (simpl in Hu, Hw; tauto). assert (Hu' := Hu). assert (Hw' := Hw). destruct Hu' as [Hi [Hj _]], Hw' as [Hx [Hl _]].
  destruct (same [x; l] [i; j]) as [e|ne].
  { injection e as -> ->. rewrite (over_ext _ _ (fun b => has b [i; j] * g (seen b [i; j]))); [rewrite law by trivial; simpl agree; rewrite !Nat.eqb_refl; f_equal; f_equal; extensionality k; simpl; ring|].
    intros b I. unfold has. rewrite (fibre b i j u I), (fibre b i j w I). destruct (b [i; j]) eqn:h; [destruct (seen_is b i j u I Hi Hj h) as [-> _]|]; ring. }
  set (X := if Nat.eqb i x then 1 else 0). set (Y := if Nat.eqb i x then 0 else 1). set (f := fun a : list bool => match a with true :: true :: _ => 0 | true :: false :: _ => X | _ => Y end).
  assert (c : 0 < ((INR N - 1) * X + (INR M - 1) * INR N * Y) * T).
  { apply Rmult_lt_0_compat; [|exact P]. unfold X, Y. assert (0 < INR N) by (apply lt_0_INR; lia). destruct (Nat.eqb_spec i x) as [<-|].
    - assert (1 < INR N); [apply (lt_INR 1) | lra]. destruct (Nat.eq_dec j l) as [<-|]; [contradiction | lia].
    - assert (1 < INR M) by (apply (lt_INR 1); lia). nra. }
  apply Rmult_eq_reg_l with (((INR N - 1) * X + (INR M - 1) * INR N * Y) * T); [|lra]. rewrite <- row_relation.
  etransitivity; [apply (averaged _ _ g f Hu)|].
  - exists X, Y. split; reflexivity.
  - intros w' Hw' ne'. apply as_often; trivial. destruct w' as [|y [|k w']]; try (simpl in Hw'; tauto). split; [|split; [exact ne|]].
    + intros e. injection e as -> ->. apply ne'. simpl. rewrite !Nat.eqb_refl. reflexivity.
    + revert ne'. unfold f, X, Y. simpl. destruct (Nat.eqb_spec i y), (Nat.eqb_spec i x); try tauto. destruct (Nat.eqb j k); tauto.
  - rewrite row_relation. transitivity (F * E (fun k => ((INR N - 1) * X + (INR M - 1) * INR N * Y) * T * (shares Rs (draws_seeing k) (agree (i :: j :: u) (x :: l :: w)) * g k))); [|rewrite (lin_scal E_linear); ring].
    do 2 f_equal. extensionality k. unfold draws_seeing. cbn [map in_batch agree]. unfold f. rewrite row_relation. assert (Q := pos_INR k). assert (0 < INR N) by (apply lt_0_INR; lia). revert c. unfold X, Y.
    destruct (Nat.eqb_spec i x) as [<-|]; [destruct (Nat.eqb_spec j l) as [<-|]; [contradiction|]|]; intro c; cbn [shares]; field; repeat split; nra.
Qed.
Lemma F_is : F * total s (fun _ => 1) = INR B * T * INR (length every).
Proof.
  rewrite <- total_scal, <- over_one, <- over_scal, (total_ext s _ (fun u => over every (fun b => has b u))), (lin_over (total_linear s)).
  - apply over_ext; intros b I. rewrite Rmult_1_r. apply (alike b I).
  - intros u Hu. rewrite (over_ext _ _ (fun b => has b u * has b u * 1)), (pairs u u (fun _ => 1) Hu Hu) by (intros b _; unfold has; destruct (b u); ring).
    f_equal. transitivity (E (fun _ => 1)); [symmetry; exact E_one | f_equal; extensionality k; destruct u as [|i [|j u]]; simpl in Hu; try tauto; simpl; rewrite !Nat.eqb_refl; ring].
Qed.
Variables (tau : R) (terms : nat -> list term) (h : list bool -> R).
Notation having u := (filter (fun b : batch => b u) every).
Definition batch_anchors (u : point) (x : point -> R) : R :=
  over (having u) (fun b => / F * over (terms (seen b u)) (batch_anchor_loss s tau b (fun _ => x) u)).
Theorem batch_mean : mean_over every s tau (fun b u => terms (seen b u)) = mean_loss s batch_anchors.
Proof.
  extensionality H. unfold mean_over, mean_loss, batch_anchors. assert (P := size_pos s one). assert (Fi := F_is).
  rewrite (total_ext s (fun u => over _ _) (fun u => / F * over every (fun b => if b u then over (terms (seen b u)) (batch_anchor_loss s tau b H u) else 0)))
    by (intros; rewrite over_scal, over_filter; reflexivity).
  rewrite total_scal, (lin_over (total_linear s)).
  rewrite (over_ext every _ (fun b => / (INR B * T) * total s (fun u => if b u then over (terms (seen b u)) (batch_anchor_loss s tau b H u) else 0))).
  - assert (X : 0 < INR B * T * INR (length every)) by (rewrite <- Fi; apply Rmult_lt_0_compat; assumption). rewrite over_scal.
    set (S := INR B * T) in *. clearbody S. assert (0 < S /\ 0 < INR (length every)) by (destruct (pos_INR (length every)) as [Q|Q]; [split; nra | rewrite <- Q in X; lra]).
    set (n := total s (fun _ => 1)) in *. replace F with (S * INR (length every) / n) by (rewrite <- Fi; field; lra). field. lra.
  - intros b I. assert (A := alike b I). unfold total_in in A. rewrite A. unfold Rdiv. ring.
Qed.

Hypothesis tau_pos : 0 < tau.
Hypothesis ok : forall k, possible k -> convex (inside k) tau (terms k) h.
Hypothesis nest : nested s h /\ forall k t, In t (terms k) -> nested s (denominator t) /\ nested s (positives t).
Lemma of_having b u f : In b (having u) -> valid s u -> nested s f ->
  possible (seen b u) /\ total s (fun w => has b w * f (agree u w)) = row (inside (seen b u)) f.
Proof.
  intros I Hu Nf. apply filter_In in I as [I Hb]. destruct (rows b u f I Nf Hu Hb) as [P <-]. split; [exact P|].
  apply total_ext; intros w _. unfold has. destruct (b w); ring.
Qed.
Theorem batch_smooth : smooth_at s batch_anchors (fun a => E (fun k => batch_gradient Rs (draws_seeing k) tau (terms k) h a)) h (/ tau).
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
    + rewrite (over_ext every _ (fun b => has b u * has b w * G (seen b u))), pairs by (assumption || (intros b _; unfold has; destruct (b u); ring)). rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. reflexivity.
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
Hypothesis one : forall N, In N s -> (1 <= N)%nat.
Hypothesis ranges : (1 <= C <= M)%nat /\ (1 <= k <= N)%nat.
Notation F := (over every (fun b => has b [O; O])).
Notation E := (fun g : nat -> R => g (k - 1)%nat).
Lemma balanced_size c : balanced C k M N c = true -> number c (places M N) = (C * k)%nat.
Proof. intro G. apply Bool.andb_true_iff in G as [G _]. apply Nat.eqb_eq, G. Qed.
Lemma balanced_moved x j y l c : (x < M)%nat -> (j < N)%nat -> (y < M)%nat -> (l < N)%nat ->
  balanced C k M N (fun u => c (exchange x j y l u)) = balanced C k M N c.
Proof.
  intros X J Y L. unfold balanced. rewrite number_moved by assumption. f_equal. apply Bool.eq_iff_eq_true. rewrite !forallb_forall.
  split; intros h i I; specialize (h (swapped x y i)); rewrite class_moved, ?swapped_back in * by assumption; apply in_seq in I; apply h, in_seq; split; try lia; apply swapped_in; lia.
Qed.
Lemma balanced_at b i j v : In b every -> (i < M)%nat -> (j < N)%nat -> b (i :: j :: v) = true -> others s b (i :: j :: v) = (k - 1)%nat.
Proof.
  intros I Hi Hj h. destruct (in_every M N r _ b I) as [c [-> G]]. apply Bool.andb_true_iff in G as [_ G]. rewrite forallb_forall in G.
  assert (n := G i ltac:(apply in_seq; lia)). apply Bool.orb_true_iff in n as [n|n]; apply Nat.eqb_eq in n.
  - exfalso. apply length_zero_iff_nil in n. assert (K : In j (filter (fun j => c [i; j]) (seq 0 N))) by (apply filter_In; split; [apply in_seq; lia | exact h]). rewrite n in K. exact K.
  - simpl. rewrite Nat.sub_1_r. f_equal. exact n.
Qed.
Lemma balanced_seen b u : In b every -> valid s u -> b u = true -> others s b u = (k - 1)%nat.
Proof. intros I Hu. destruct u as [|i [|j v]]; simpl in Hu; try tauto. apply balanced_at; tauto. Qed.
Lemma balanced_law i j g : (i < M)%nat -> (j < N)%nat -> over every (fun b => has b [i; j] * g (others s b [i; j])) = F * E g.
Proof.
  intros Hi Hj. rewrite Rmult_comm, <- over_scal. etransitivity; [|exact (exchanged M N r _ balanced_moved 0 0 i j (fun b => E g * has b [0; 0]%nat) ltac:(lia) ltac:(lia) Hi Hj)].
  apply over_ext; intros b I. unfold has. change (exchange 0 0 i j [0; 0]%nat) with [i; j]. destruct (b [i; j]) eqn:h; [rewrite (balanced_at b i j [] I Hi Hj h)|]; ring.
Qed.
Lemma linear_one : linear (fun n => n = (k - 1)%nat) E.
Proof. constructor; intros; auto. Qed.
Lemma first_number n K : number (fun j => Nat.ltb j n) (seq 0 K) = Nat.min n K.
Proof. induction K; [rewrite Nat.min_0_r; reflexivity|]. rewrite seq_S, filter_app, app_length, IHK. simpl. destruct (Nat.ltb_spec K n); simpl; lia. Qed.
Lemma some_balanced : 0 < F.
Proof.
  assert (X : 0 < total s (fun _ => 1)) by (apply size_pos, one). assert (0 < total r (fun _ => 1)) by (apply size_pos; intros; apply one; simpl; auto).
  assert (Z := F_is M N r (balanced C k) (C * k) F _ E one balanced_size balanced_moved balanced_seen balanced_law linear_one eq_refl).
  assert (0 < INR (C * k)) by (apply lt_0_INR; nia). apply Rmult_lt_reg_r with (total s (fun _ => 1)); [exact X|]. rewrite Z, Rmult_0_l. repeat apply Rmult_lt_0_compat; trivial.
  apply lt_0_INR. simpl. rewrite map_length.
  destruct (sets_all (places M N) (fun u => match u with [i; j] => (Nat.ltb i C && Nat.ltb j k)%bool | _ => false end)) as [c [I e]].
  assert (A : forall i, (i < M)%nat -> in_class N c i [] = if Nat.ltb i C then k else O).
  { intros i Hi. unfold in_class. rewrite (filter_ext_in _ (fun j => Nat.ltb i C && Nat.ltb j k)%bool) by (intros j J; apply in_seq in J; apply e, place_in; exists i, j; repeat split; lia).
    destruct (Nat.ltb i C); simpl; [rewrite first_number; lia | induction (seq 0 N); trivial]. }
  assert (G : balanced C k M N c = true); [|apply (fun h => proj2 (filter_In _ c _) (conj I h)) in G; destruct (filter _ _); [destruct G | simpl; lia]].
  apply Bool.andb_true_iff. split; [apply Nat.eqb_eq|].
  - apply INR_eq. rewrite number_over, over_places, mult_INR. transitivity (sum M (fun i => INR k * (if Nat.ltb i C then 1 else 0))).
    + apply sum_ext; intros i Hi. rewrite sum_over, <- number_over. change (number _ _) with (in_class N c i []). rewrite A by exact Hi. destruct (Nat.ltb i C); simpl; ring.
    + rewrite sum_scal, sum_over, <- number_over, first_number, Nat.min_l by lia. ring.
  - apply forallb_forall. intros i Hi. apply in_seq in Hi. rewrite A by lia. destruct (Nat.ltb i C); rewrite Nat.eqb_refl, ?Bool.orb_true_r; reflexivity.
Qed.
Lemma draws_are : draws_seeing (C * k) (k - 1) = [INR C; INR k].
Proof. unfold draws_seeing. rewrite mult_INR, minus_INR by lia. assert (0 < INR k) by (apply lt_0_INR; lia). simpl (INR 1). f_equal; [field; lra | f_equal; ring]. Qed.
Variables (tau : R) (terms : list term) (h : list bool -> R).
Notation anchors := (batch_anchors M N r (balanced C k) F tau (fun _ => terms)).
Theorem alike_mean d : batches s d = every -> batch_loss s d tau terms = mean_loss s anchors.
Proof.
  intro e. unfold batch_loss. rewrite e.
  exact (batch_mean M N r (balanced C k) (C * k) F (fun n => n = (k - 1)%nat) E one balanced_size balanced_moved balanced_seen balanced_law linear_one eq_refl some_balanced tau (fun _ => terms)).
Qed.
Hypothesis ok : convex (in_batch (map INR s) [INR C; INR k]) tau terms h.
Hypothesis nest : nested s h /\ forall t, In t terms -> nested s (denominator t) /\ nested s (positives t).
Theorem alike_smooth : smooth_at s anchors (batch_gradient (map INR s) [INR C; INR k] tau terms h) h (/ tau).
Proof.
  rewrite <- draws_are. apply (batch_smooth M N r (balanced C k) (C * k) F (fun n => n = (k - 1)%nat) E one balanced_size balanced_moved balanced_seen balanced_law linear_one some_balanced tau (fun _ => terms) h (tau_pos _ _ _ _ ok)).
  - intros n ->. rewrite draws_are. exact ok.
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
Definition possible (k : nat) : Prop := (k <= B - 1)%nat /\ (k <= N - 1)%nat.
Notation mean := (hypergeometric (N - 1) (B - 1) (M * N - 1)).
Notation F := (choose (M * N - 1) (B - 1)).
Lemma F_pos : 0 < F. Proof. apply (choose_sign (M * N - 1)); lia. Qed.
Lemma good_size c : good M N c = true -> number c all = B. Proof. apply Nat.eqb_eq. Qed.
Lemma good_moved x j y l c : (x < M)%nat -> (j < N)%nat -> (y < M)%nat -> (l < N)%nat -> good M N (fun u => c (exchange x j y l u)) = good M N c.
Proof. intros. cbv beta. rewrite number_moved by assumption. reflexivity. Qed.
Definition of_class (i : nat) (k : point) : bool := match k with i' :: _ => Nat.eqb i i' | [] => false end.
Lemma class_size i p : (i < M)%nat -> number (fun k => of_class i k && p k)%bool all = number (fun j => p [i; j]) (seq 0 N).
Proof.
  intro Hi. apply INR_eq. rewrite !number_over, over_places, <- sum_over, <- (sum_pick M i (fun i => sum N (fun j => if p [i; j] then 1 else 0)) Hi).
  apply sum_ext; intros i' _. simpl. destruct (Nat.eqb i i'); [reflexivity | simpl; rewrite sum_const; ring].
Qed.
Lemma random_law i j g : (i < M)%nat -> (j < N)%nat -> over every (fun b => has b [i; j] * g (others s b [i; j])) = F * mean g.
Proof.
  intros Hi Hj. assert (P := F_pos). destruct (in_split [i; j] all) as [l1 [l2 e]]; [apply place_in; eauto|].
  assert (Q : @Permutation point all ([i; j] :: l1 ++ l2)) by (rewrite e; apply Permutation_sym, Permutation_middle). set (l := (l1 ++ l2 : list point)) in *.
  assert (once := Permutation_NoDup Q (places_once M N)). inversion_clear once as [|? ? K once'].
  assert (A : number (of_class i) all = N).
  { apply INR_eq. rewrite number_over, over_places, <- (sum_pick M i (fun _ => INR N) Hi). apply sum_ext; intros i' _. simpl. destruct (Nat.eqb i i'); rewrite sum_const; ring. }
  assert (A' : number (fun k => negb (of_class i k)) all = (M * N - 1 - (N - 1))%nat).
  { replace (M * N - 1 - (N - 1))%nat with (M * N - N)%nat by lia. apply INR_eq. rewrite minus_INR, mult_INR, number_over, over_places by nia.
    rewrite (sum_ext M _ (fun i' => INR N - (if Nat.eqb i i' then INR N else 0))), (lin_minus (sum_linear M)), sum_const, (sum_pick M i (fun _ => INR N) Hi); [reflexivity|].
    intros i' _. simpl. destruct (Nat.eqb i i'); simpl; rewrite sum_const; ring. }
  rewrite (number_perm _ _ _ Q) in A. rewrite (number_perm _ _ _ Q) in A'. cbn [filter of_class] in A, A'. rewrite Nat.eqb_refl in A, A'. cbn [length negb] in A, A'.
  unfold random_batches, batches_with. rewrite over_map, over_filter, (sets_perm _ _ _ Q (places_once M N)), over_sets.
  assert (h : forall t c, has (fun u => put [i; j] t c (firstn 2 u)) [i; j] = if t then 1 else 0) by (intros t c; unfold has, put; cbn [firstn]; destruct (same [i; j] [i; j]); [reflexivity | contradiction]).
  rewrite (over_ext (sets l) _ (fun _ => 0)), (lin_zero (over_linear _)), Rplus_0_l.
  - rewrite (over_ext (sets l) _ (fun c => if Nat.eqb (number c l) (B - 1) then g (number (fun k => of_class i k && c k)%bool l) else 0)), (count_marked (of_class i) g l once').
    + change (mean g) with (marking (N - 1) (M * N - 1 - (N - 1)) (B - 1) g / F). replace (number (of_class i) l) with (N - 1)%nat by lia. rewrite A'. field. lra.
    + intros c _. rewrite h, (number_perm _ _ _ Q). change (others s _ [i; j]) with (pred (number (fun n => put [i; j] true c [i; n]) (seq 0 N))).
      rewrite <- (class_size i (put [i; j] true c) Hi), (number_perm _ _ _ Q), number_put by exact K. rewrite size_put by exact K.
      cbn [of_class andb Nat.add pred]. rewrite Nat.eqb_refl. cbn [andb Nat.add pred]. destruct (Nat.eqb_spec (S (number c l)) B), (Nat.eqb_spec (number c l) (B - 1)); lia || ring.
  - intros c _. rewrite h. destruct (Nat.eqb _ B); ring.
Qed.
Lemma random_possible b u : In b every -> valid s u -> b u = true -> possible (others s b u).
Proof.
  intros I Hu h. destruct u as [|i [|j v]]; simpl in Hu; try tauto. destruct Hu as [Hi [Hj _]]. assert (size := size M N r good B good_size b I).
  destruct (seen_is M N r good b i j v I Hi Hj) as [-> K]; [rewrite <- h; symmetry; apply (fibre M N r good b), I|].
  split; apply INR_le; rewrite minus_INR by lia; simpl (INR 1); enough (L : sum N (fun j => has b [i; j]) <= INR B /\ sum N (fun j => has b [i; j]) <= INR N) by (destruct L; lra); split.
  1, 3: rewrite <- size, <- (sum_pick M i (fun i => sum N (fun j => has b [i; j])) Hi); apply (lin_le (sum_linear M)); intros i' _;
    destruct (Nat.eqb i i'); [lra | apply (lin_pos (sum_linear N)); intros k _; unfold has; destruct (b [i'; k]); lra].
  all: rewrite <- (Rmult_1_r (INR N)), <- sum_const; apply (lin_le (sum_linear N)); intros k _; unfold has; destruct (b [i; k]); lra.
Qed.
Lemma mean_one : mean (fun _ => 1) = 1.
Proof. unfold hypergeometric. change (marking (N - 1) (M * N - 1 - (N - 1)) (B - 1) (fun _ => 1) / F = 1). assert (P := F_pos). rewrite marking_one. replace (N - 1 + (M * N - 1 - (N - 1)))%nat with (M * N - 1)%nat by nia. field. lra. Qed.
Lemma mean_linear : linear possible mean.
Proof.
  set (w := fun k => choose (N - 1) k * choose (M * N - 1 - (N - 1)) (B - 1 - k) / F).
  assert (Z : forall f, mean f = sum (S (B - 1)) (fun k => w k * f k)) by (intro; unfold hypergeometric, w, Rdiv; rewrite Rmult_comm, <- sum_scal; apply sum_ext; intros; ring).
  assert (W : forall k, (k < S (B - 1))%nat -> 0 <= w k /\ (w k = 0 \/ possible k)).
  { intros k Hk. destruct (choose_sign (N - 1) k) as [c [_ z]], (choose_sign (M * N - 1 - (N - 1)) (B - 1 - k)) as [c' _]. assert (P := Rinv_0_lt_compat _ F_pos).
    split; [repeat apply Rmult_le_pos; lra|]. destruct (le_lt_dec k (N - 1)) as [h|h]; [right; split; lia | left; unfold w; rewrite z by exact h; unfold Rdiv; ring]. }
  clearbody w. constructor; intros; rewrite ?Z.
  - apply (lin_le (sum_linear _)); intros k Hk. destruct (W k Hk) as [p [->|q]]; [lra | apply Rmult_le_compat_l; auto].
  - rewrite <- sum_plus. apply sum_ext; intros; ring.
  - rewrite <- sum_scal. apply sum_ext; intros; ring.
  - eapply der_ext; [intro; symmetry; apply Z|]. apply (lin_der (sum_linear _) (fun k t => w k * f k t)). intros k Hk. destruct (W k Hk) as [p [e|q]].
    + rewrite e, Rmult_0_l. apply (der_ext (fun _ => 0)); [intro; ring | apply derivable_pt_lim_const].
    + apply (derivable_pt_lim_scal (f k)), H, q.
Qed.
Definition seeing (terms alone : list term) (k : nat) : list term := match k with O => alone | S _ => terms end.
Section Written.
Variables (tau : R) (terms alone : list term) (h : list bool -> R).
Hypothesis one : forall N, In N s -> (1 <= N)%nat.
Notation anchors := (batch_anchors M N r good F tau (seeing terms alone)).
Notation G k l := (batch_gradient (map INR s) [INR B / (k + 1); k + 1] tau l h).
Definition random_gradient (a : list bool) : R := mean (fun k => batch_gradient (map INR s) (draws_seeing B k) tau (seeing terms alone k) h a).
Theorem random_mean : random_loss s B tau terms alone = mean_loss s anchors.
Proof. exact (batch_mean M N r good B F possible mean one good_size good_moved random_possible random_law mean_linear mean_one F_pos tau (seeing terms alone)). Qed.
Hypothesis ok : (forall K, 1 <= K -> K <= INR N - 1 -> K <= INR B - 1 -> convex (in_batch (map INR s) [INR B / (K + 1); K + 1]) tau terms h)
  /\ convex (in_batch (map INR s) [INR B / (0 + 1); 0 + 1]) tau alone h.
Hypothesis nest : nested s h /\ forall t, In t (terms ++ alone) -> nested s (denominator t) /\ nested s (positives t).
Lemma possible_real k : possible (S k) -> 1 <= INR (S k) /\ INR (S k) <= INR N - 1 /\ INR (S k) <= INR B - 1.
Proof.
  intros [b c]. apply le_INR in b, c. rewrite minus_INR in b, c by lia. simpl (INR 1) in b, c. assert (Q := pos_INR k). rewrite S_INR in *. lra.
Qed.
Theorem random_smooth : smooth_at s anchors random_gradient h (/ tau).
Proof.
  refine (batch_smooth M N r good B F possible mean one good_size good_moved random_possible random_law mean_linear F_pos tau (seeing terms alone) h (cltheory_convex.tau_pos _ _ _ _ (proj2 ok)) _ _).
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
  intros some none. unfold random_gradient. set (g := fun k => batch_gradient (map INR s) (draws_seeing B k) tau (seeing terms alone k) h).
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
