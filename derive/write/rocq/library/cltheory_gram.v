(* Written by cltheory. Sums over points, and quadratic forms whose entries depend only on which
   indices agree: what they are at least is found axis by axis, for the mean along it and for the
   contrasts. So is what a gradient of this kind is at least on the inner products of unit vectors. *)
From Coq Require Import Reals Lra Lia List Arith.
Require Import cltheory_loss.
Import ListNotations.
Open Scope R_scope.

(* ---- sums ---- *)
(* What all sums have in common: over numbers, points, members of kinds, terms, batches. *)
Record linear {P : Type} (ok : P -> Prop) (T : (P -> R) -> R) : Prop := {
  lin_le : forall f g, (forall w, ok w -> f w <= g w) -> T f <= T g;
  lin_plus : forall f g, T (fun w => f w + g w) = T f + T g;
  lin_scal : forall c f, T (fun w => c * f w) = c * T f;
  lin_der : forall (f : P -> R -> R) l t, (forall w, ok w -> derivable_pt_lim (f w) t (l w)) ->
    derivable_pt_lim (fun t => T (fun w => f w t)) t (T l) }.
Arguments lin_le {P ok T}. Arguments lin_plus {P ok T}. Arguments lin_scal {P ok T}. Arguments lin_der {P ok T}.
Section Linear.
Context {P : Type} {ok : P -> Prop} {T : (P -> R) -> R} (L : linear ok T).
Lemma lin_ext f g : (forall w, ok w -> f w = g w) -> T f = T g.
Proof. intro e. apply Rle_antisym; apply (lin_le L); intros w h; rewrite e by exact h; lra. Qed.
Lemma lin_zero : T (fun _ => 0) = 0.
Proof. transitivity (T (fun _ => 0 * 0)); [apply lin_ext; intros; ring|]. rewrite (lin_scal L). ring. Qed.
Lemma lin_minus f g : T (fun w => f w - g w) = T f - T g.
Proof.
  transitivity (T (fun w => f w + -1 * g w)); [apply lin_ext; intros; ring|].
  rewrite (lin_plus L), (lin_scal L). ring.
Qed.
Lemma lin_pos f : (forall w, ok w -> 0 <= f w) -> 0 <= T f.
Proof. intro h. rewrite <- lin_zero. apply (lin_le L). exact h. Qed.
Lemma lin_cauchy f g : T (fun w => f w * g w) * T (fun w => f w * g w) <= T (fun w => f w * f w) * T (fun w => g w * g w).
Proof.
  set (a := T (fun w => f w * f w)). set (b := T (fun w => f w * g w)). set (c := T (fun w => g w * g w)).
  assert (Q : forall s t, 0 <= s * s * a + (2 * s * t * b + t * t * c)).
  { intros. unfold a, b, c. rewrite <- !(lin_scal L), <- !(lin_plus L). apply lin_pos; intros w _. assert (R := Rle_0_sqr (s * f w + t * g w)). unfold Rsqr in R. lra. }
  assert (A := Q 1 0). assert (X := Q (- b) a). assert (Y := Q 1 (- b)). assert (Z := Q c (- b)). apply Rnot_lt_le; intro l.
  destruct (Req_dec a 0) as [e|e]; [rewrite e in *|]; nra.
Qed.
End Linear.
Lemma sum_linear N : linear (fun i => (i < N)%nat) (sum N).
Proof.
  induction N as [|N [le plus scal der]]; constructor; simpl; intros; try lra; try apply derivable_pt_lim_const.
  - apply Rplus_le_compat; [apply le|]; auto with arith.
  - rewrite plus. ring.
  - rewrite scal. ring.
  - apply (derivable_pt_lim_plus (fun t => sum N (fun i => f i t)) (f N)); [apply der|]; auto with arith.
Qed.
Definition sum_ext N f g := lin_ext (sum_linear N) f g.
Definition sum_plus N := lin_plus (sum_linear N).
Definition sum_scal N := lin_scal (sum_linear N).
Lemma sum_const N c : sum N (fun _ => c) = INR N * c.
Proof. induction N; [simpl; lra|]. rewrite S_INR; simpl. rewrite IHN; lra. Qed.
Lemma sum_pick N i f : (i < N)%nat -> sum N (fun j => if Nat.eqb i j then f j else 0) = f i.
Proof.
  induction N as [|N IH]; simpl; [lia|]. intro Hi. destruct (Nat.eqb_spec i N) as [->|ne]; [|rewrite IH by lia; ring].
  rewrite (sum_ext N _ (fun _ => 0)), sum_const; [ring|]. intros j Hj. destruct (Nat.eqb_spec N j); [lia | reflexivity].
Qed.
Lemma sum_agree N i (t f : R) g : (i < N)%nat ->
  sum N (fun j => (if Nat.eqb i j then t else f) * g j) = (t - f) * g i + f * sum N g.
Proof.
  intro Hi. rewrite <- (sum_pick N i (fun j => (t - f) * g j) Hi), <- sum_scal, <- sum_plus. apply sum_ext; intros j _. destruct (Nat.eqb i j); ring.
Qed.
Lemma sum_first n f : sum (S n) f = f O + sum n (fun k => f (S k)).
Proof. induction n; [simpl; ring|]. change (sum (S (S n)) f) with (sum (S n) f + f (S n)). rewrite IHn. simpl. ring. Qed.
Section Swap.
Context {P : Type} {ok : P -> Prop} {T : (P -> R) -> R} (L : linear ok T).
Lemma lin_sum N f : T (fun w => sum N (fun i => f w i)) = sum N (fun i => T (fun w => f w i)).
Proof. induction N; simpl; [apply (lin_zero L)|]. rewrite (lin_plus L), IHN. reflexivity. Qed.
Lemma lin_total s f : T (fun w => total s (fun u => f w u)) = total s (fun u => T (fun w => f w u)).
Proof. revert f; induction s; simpl; intros; [reflexivity|]. rewrite lin_sum. apply sum_ext; intros; apply IHs. Qed.
Lemma lin_over {Q} (l : list Q) f : T (fun w => over l (fun q => f w q)) = over l (fun q => T (fun w => f w q)).
Proof. induction l; simpl; [apply (lin_zero L)|]. rewrite (lin_plus L), IHl. reflexivity. Qed.
End Swap.
Definition sum_swap N := lin_sum (sum_linear N).

Lemma nested_linear {P Q W} {okP : P -> Prop} {okQ : P -> Q -> Prop} {okW : W -> Prop} {S T} (pair : P -> Q -> W) : linear okP S -> (forall i, linear (okQ i) (T i)) ->
  (forall i u, okP i -> okQ i u -> okW (pair i u)) -> linear okW (fun f => S (fun i => T i (fun u => f (pair i u)))).
Proof.
  intros L M h. constructor; intros.
  - apply (lin_le L); intros i Hi. apply (lin_le (M i)); intros; apply H, h; assumption.
  - rewrite <- (lin_plus L). apply (lin_ext L); intros; apply (lin_plus (M w)).
  - rewrite <- (lin_scal L). apply (lin_ext L); intros; apply (lin_scal (M w)).
  - apply (lin_der L (fun i t => T i (fun u => f (pair i u) t))); intros i Hi.
    apply (lin_der (M i) (fun u => f (pair i u))); intros; apply H, h; assumption.
Qed.
Lemma linear_at {P Q} {okP : P -> Prop} {okQ : Q -> Prop} {T} (L : linear okP T) (c : P -> R) (m : P -> Q) :
  (forall w, okP w -> 0 <= c w /\ okQ (m w)) -> linear okQ (fun f => T (fun w => c w * f (m w))).
Proof.
  intro h. constructor; intros.
  - apply (lin_le L); intros w Hw. destruct (h w Hw). apply Rmult_le_compat_l; auto.
  - rewrite <- (lin_plus L). apply (lin_ext L); intros; ring.
  - rewrite <- (lin_scal L). apply (lin_ext L); intros; ring.
  - apply (lin_der L (fun w t => c w * f (m w) t)); intros w Hw. apply (derivable_pt_lim_scal (f (m w))), H, h, Hw.
Qed.
Lemma total_linear s : linear (valid s) (total s).
Proof.
  induction s; [constructor; simpl; intros; try reflexivity; apply H, I|].
  apply (nested_linear cons (sum_linear a) (fun _ => IHs)). intros; split; assumption.
Qed.
Definition total_le s := lin_le (total_linear s).
Definition total_plus s := lin_plus (total_linear s).
Definition total_scal s := lin_scal (total_linear s).
Definition total_ext s f g := lin_ext (total_linear s) f g.
Definition total_minus s f g := lin_minus (total_linear s) f g.
Definition total_swap s r f := lin_total (total_linear s) r f.
Lemma over_linear {T} (l : list T) : linear (fun t => In t l) (over l).
Proof.
  induction l as [|a l [le plus scal der]]; constructor; simpl; intros; try lra; try apply derivable_pt_lim_const.
  - apply Rplus_le_compat; auto.
  - rewrite plus. ring.
  - rewrite scal. ring.
  - apply (derivable_pt_lim_plus (f a) (fun r => over l (fun t => f t r))); auto.
Qed.
Definition over_ext {T} (l : list T) f g := lin_ext (over_linear l) f g.
Definition over_plus {T} (l : list T) := lin_plus (over_linear l).
Definition over_scal {T} (l : list T) := lin_scal (over_linear l).
Lemma total_const s c : total s (fun _ => c) = c * total s (fun _ => 1).
Proof. rewrite <- total_scal. apply total_ext; intros; ring. Qed.
Lemma total_one s : total s (fun _ => 1) = fold_right Rmult 1 (map INR s).
Proof. induction s; simpl; [reflexivity|]. rewrite sum_const, IHs. reflexivity. Qed.
Lemma size_pos s : (forall N, In N s -> (1 <= N)%nat) -> 0 < total s (fun _ => 1).
Proof.
  rewrite total_one. induction s; simpl; intro h; [lra|].
  apply Rmult_lt_0_compat; [apply lt_0_INR, h; auto | apply IHs; auto].
Qed.

(* ---- what depends only on which indices agree ---- *)
Lemma agree_sym u v : agree u v = agree v u.
Proof. revert v; induction u; intros [|j v]; simpl; [reflexivity..|]. rewrite IHu, Nat.eqb_sym. reflexivity. Qed.
Lemma agree_length s u v : valid s u -> valid s v -> length (agree u v) = length s.
Proof. revert u v; induction s; intros [|i u] [|j v]; simpl; try contradiction; [reflexivity|]. intros [_ Hu] [_ Hv]. rewrite IHs; auto. Qed.
Fixpoint row (sizes : list R) (F : list bool -> R) : R :=          (* the sum of a row *)
  match sizes with [] => F []
  | N :: r => row r (fun b => F (true :: b)) + (N - 1) * row r (fun b => F (false :: b)) end.
Lemma total_agree s F u : valid s u -> total s (fun w => F (agree u w)) = row (map INR s) F.
Proof.
  revert F u; induction s; intros F [|i u]; simpl; try contradiction; [reflexivity|]. intros [Hi Hu].
  rewrite (sum_ext a _ (fun j => (if Nat.eqb i j then row (map INR s) (fun b => F (true :: b)) else row (map INR s) (fun b => F (false :: b))) * 1)).
  - rewrite sum_agree, sum_const by exact Hi. ring.
  - intros j _. rewrite (IHs (fun b => F (Nat.eqb i j :: b)) u Hu). destruct (Nat.eqb i j); ring.
Qed.

(* What the mean along an axis, and what contrasts along it, have of it; eigenvalues on products of
   these; and that none is below theta. *)
Inductive kind := Mean | Contrast | All.
Definition split_off (k : kind) (N : R) (F : list bool -> R) (a : list bool) : R :=
  match k with Mean => F (true :: a) + (N - 1) * F (false :: a) | Contrast => F (true :: a) - F (false :: a) | All => F (true :: a) end.
Fixpoint eigen (sizes : list R) (ks : list kind) (F : list bool -> R) : R :=
  match sizes, ks with N :: r, k :: l => eigen r l (split_off k N F) | _, _ => F [] end.
Fixpoint multipliers (sizes : list R) (F : list bool -> R) (theta : R) : Prop :=
  match sizes with
  | [] => theta <= F []
  | N :: r => multipliers r (split_off Mean N F) theta /\ (2 <= N -> multipliers r (split_off Contrast N F) theta) end.
(* One goal for each term of a list, each pattern of a length, each case, and each eigenspace. *)
Ltac each_term I := repeat first [destruct I as [<-|I] | destruct I as []].
Ltac each_pattern a e := do 5 (try (destruct a as [|[|] a]; try discriminate e)).
Ltac each_case := repeat match goal with |- context [match ?x with _ => _ end] => destruct x end.
Ltac each_space := cbn [nth map multipliers];
  repeat match goal with |- _ /\ _ => split | |- (2 <= _) -> _ => intro end.

(* A square of a sum, and all squares of differences. *)
Definition differences N (f : nat * nat -> R) : R := sum N (fun i => sum i (fun j => f (i, j))).
Lemma differences_linear N : linear (fun p => (fst p < N)%nat /\ (snd p < fst p)%nat) (differences N).
Proof. apply (nested_linear pair (sum_linear N) sum_linear). intros; split; assumption. Qed.
Lemma by_pairs N a b : INR N * sum N (fun i => a i * b i) = sum N a * sum N b + differences N (fun p => (a (fst p) - a (snd p)) * (b (fst p) - b (snd p))).
Proof.
  unfold differences. induction N as [|N IH]; [simpl; ring|]. rewrite S_INR. simpl in *.
  rewrite (sum_ext N (fun j => (a N - a j) * _) (fun j => a N * b N + (- a N * b j + (- b N * a j + a j * b j)))), !sum_plus, !sum_scal, sum_const by (intros; ring). lra.
Qed.
Definition form s (F : list bool -> R) (w : point -> R) : R := total s (fun u => total s (fun v => F (agree u v) * (w u * w v))).
Lemma form_split N s F w : INR N * form (N :: s) F w = form s (split_off Mean (INR N) F) (fun u => sum N (fun i => w (i :: u)))
  + differences N (fun p => form s (split_off Contrast (INR N) F) (fun u => w (fst p :: u) - w (snd p :: u))).
Proof.
  unfold form. simpl. rewrite (lin_total (differences_linear N)), <- (lin_sum (total_linear s)), <- total_scal, <- total_plus. apply total_ext; intros u _.
  rewrite (lin_total (differences_linear N)), (sum_ext N _ (fun i => total s (fun v => sum N (fun j => F (Nat.eqb i j :: agree u v) * (w (i :: u) * w (j :: v)))))) by (intros; rewrite (lin_sum (total_linear s)); reflexivity).
  rewrite <- (lin_sum (total_linear s)), <- total_scal, <- total_plus. apply total_ext; intros v _. rewrite (lin_scal (differences_linear N)).
  set (t := F (true :: agree u v)). set (f := F (false :: agree u v)). assert (P := by_pairs N (fun i => w (i :: u)) (fun i => w (i :: v))). cbv beta in P.
  rewrite (sum_ext N _ (fun i => (t - f) * (w (i :: u) * w (i :: v)) + f * sum N (fun j => w (j :: v)) * w (i :: u))), sum_plus, !sum_scal; [simpl; fold t f; nra|].
  intros i Hi. rewrite (sum_ext N _ (fun j => (if Nat.eqb i j then t else f) * (w (i :: u) * w (j :: v)))), sum_agree, sum_scal by (trivial; intros j _; destruct (Nat.eqb i j); reflexivity). ring.
Qed.
Lemma form_above s F theta w : (forall N, In N s -> (1 <= N)%nat) -> multipliers (map INR s) F theta ->
  total s (fun u => theta * (w u * w u)) <= form s F w.
Proof.
  revert F w; induction s as [|N s IH]; intros F w one; [unfold form; simpl; nra|].
  intros [M C]. assert (one' : forall n, In n s -> (1 <= n)%nat) by (intros; apply one; right; assumption). assert (P : 0 < INR N) by (apply lt_0_INR, one; left; reflexivity).
  apply Rmult_le_reg_l with (INR N); [exact P|]. rewrite form_split. simpl. rewrite <- (lin_sum (total_linear s)), <- total_scal.
  rewrite (total_ext s _ (fun u => theta * (sum N (fun i => w (i :: u)) * sum N (fun i => w (i :: u))) + differences N (fun p => theta * ((w (fst p :: u) - w (snd p :: u)) * (w (fst p :: u) - w (snd p :: u))))))
    by (intros u _; rewrite sum_scal, (lin_scal (differences_linear N)), <- Rmult_plus_distr_l, <- by_pairs; ring).
  rewrite total_plus, <- (lin_total (differences_linear N)). apply Rplus_le_compat; [apply (IH _ (fun u => sum N (fun i => w (i :: u))) one' M)|].
  apply (lin_le (differences_linear N)); intros p [H H']. apply (IH _ (fun u => w (fst p :: u) - w (snd p :: u)) one'), C. apply (le_INR 2). lia.
Qed.

(* ---- inner products of unit vectors ---- *)
(* What a form is at least on numbers, it is on vectors, coordinate by coordinate. *)
Lemma above_units {P} {ok : P -> Prop} {T} (L : linear ok T) A y dims x :
  (forall f : P -> R, T (fun u => y u * (f u * f u)) <= T (fun u => T (fun w => A u w * (f u * f w)))) ->
  (forall u, ok u -> inner dims x u u = 1) -> T y <= T (fun u => T (fun w => A u w * inner dims x u w)).
Proof.
  intros above unit. apply Rle_trans with (total dims (fun t => T (fun u => y u * (x u t * x u t)))).
  - rewrite <- (lin_total L). right. apply (lin_ext L); intros u Hu. rewrite total_scal. fold (inner dims x u u). rewrite unit by exact Hu. ring.
  - rewrite (lin_ext L (fun u => T _) (fun u => total dims (fun t => T (fun w => A u w * (x u t * x w t))))).
    + rewrite (lin_total L). apply total_le; intros t _. apply above.
    + intros u _. rewrite <- (lin_total L). apply (lin_ext L); intros. symmetry. apply total_scal.
Qed.
Lemma inner_range {P} dims (x : P -> point -> R) u v : inner dims x u u = 1 -> inner dims x v v = 1 -> -1 <= inner dims x u v <= 1.
Proof.
  intros U V. assert (C := lin_cauchy (total_linear dims) (x u) (x v)).
  fold (inner dims x u v) (inner dims x u u) (inner dims x v v) in C. rewrite U, V in C. nra.
Qed.
(* So is a square of a sum. *)
Lemma lin_product {P} {ok : P -> Prop} {T} (L : linear ok T) f g : T (fun u => T (fun w => f u * g w)) = T f * T g.
Proof. rewrite Rmult_comm, <- (lin_scal L). apply (lin_ext L); intros. rewrite (lin_scal L). ring. Qed.
Lemma square_above {P} {ok : P -> Prop} {T} (L : linear ok T) g dims x :
  (forall u, ok u -> inner dims x u u = 1) -> 0 <= T (fun u => T (fun w => g u * g w * inner dims x u w)).
Proof.
  intro unit. rewrite <- (lin_zero L). apply (above_units L (fun u w => g u * g w) (fun _ => 0)); [|exact unit]. intro f.
  rewrite (lin_ext L _ (fun _ => 0)), (lin_zero L) by (intros; ring). eapply Rle_trans; [apply (Rle_0_sqr (T (fun u => g u * f u)))|].
  right. unfold Rsqr. rewrite <- (lin_product L). apply (lin_ext L); intros. apply (lin_ext L); intros. ring.
Qed.
