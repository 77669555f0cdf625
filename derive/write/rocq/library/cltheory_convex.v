(* Written by cltheory. Softmax and sigmoid losses are convex in the inner products: their gradients by
   relation, which are those of the tangents that they lie above. *)
From Coq Require Import Reals Lra Lia List Arith.
From Coquelicot Require Import Coquelicot.
Require Import cltheory_loss cltheory_signs cltheory_gram cltheory_optimal.
Import ListNotations.
Open Scope R_scope.

Lemma tangent x y : exp y * (1 + (x - y)) <= exp x.
Proof.
  replace (exp x) with (exp y * exp (x - y)) by (rewrite <- exp_plus; f_equal; lra).
  apply Rmult_le_compat_l; [left; apply exp_pos | apply exp_ineq1_le].
Qed.

(* Sums of logarithms, less what is linear: d are the weights in a denominator, p those of the positives. *)
Section Soft.
Context {P : Type} {ok : P -> Prop} {T : (P -> R) -> R} (L : linear ok T).
Lemma lse_above d x0 x : (forall w, ok w -> 0 <= d w) ->
  let Z := T (fun w => d w * exp (x0 w)) in 0 < Z ->
  ln Z + T (fun w => d w * exp (x0 w) / Z * (x w - x0 w)) <= ln (T (fun w => d w * exp (x w))).
Proof.
  intros D Z PZ. set (r := T (fun w => d w * exp (x0 w) / Z * (x w - x0 w))). assert (Pr := exp_pos r).
  assert (K : exp r * Z <= T (fun w => d w * exp (x w))).
  { apply Rle_trans with (T (fun w => exp r * (1 - r) * (d w * exp (x0 w)) + exp r * Z * (d w * exp (x0 w) / Z * (x w - x0 w)))).
    - rewrite (lin_plus L), !(lin_scal L). fold r. fold Z. right; ring.
    - apply (lin_le L); intros w Hw. assert (E := tangent (x w) (r + x0 w)). rewrite exp_plus in E.
      replace (exp r * (1 - r) * (d w * exp (x0 w)) + exp r * Z * (d w * exp (x0 w) / Z * (x w - x0 w)))
        with (d w * (exp r * exp (x0 w) * (1 + (x w - (r + x0 w))))) by (field; lra).
      apply Rmult_le_compat_l; [apply D; exact Hw | exact E]. }
  replace (ln Z + r) with (ln (exp r * Z)) by (rewrite ln_mult, ln_exp by assumption; ring).
  destruct K as [K|K]; [left; apply ln_increasing; [apply Rmult_lt_0_compat|]; assumption | rewrite K; lra].
Qed.
Lemma lse_derivative d x0 y : let Z := T (fun w => d w * exp (x0 w)) in 0 < Z ->
  derivable_pt_lim (fun t => ln (T (fun w => d w * exp (x0 w + t * y w)))) 0 (T (fun w => d w * exp (x0 w) / Z * y w)).
Proof.
  intros Z PZ. assert (Z0 : T (fun w => d w * exp (x0 w + 0 * y w)) = Z) by (apply (lin_ext L); intros; do 2 f_equal; ring).
  rewrite (lin_ext L _ (fun w => / Z * (d w * (exp (x0 w) * y w)))), (lin_scal L) by (intros; unfold Rdiv; ring).
  apply (derivable_pt_lim_comp (fun t => T (fun w => d w * exp (x0 w + t * y w))) ln).
  - apply (lin_der L (fun w t => d w * exp (x0 w + t * y w))). intros w _.
    apply is_derive_Reals. auto_derive; [exact I | rewrite Rmult_0_l, Rplus_0_r; ring].
  - rewrite Z0. apply derivable_pt_lim_ln. exact PZ.
Qed.
Lemma soft_convex {Q okq} {S : (Q -> R) -> R} (M : linear okq S) tau c d p f g x0 :
  (forall h, T (fun w => S (fun q => h w q)) = S (fun q => T (fun w => h w q))) ->
  let Z q := T (fun w => d q w * exp (x0 w / tau)) in
  (forall q, okq q -> 0 <= c q /\ (forall w, ok w -> 0 <= d q w) /\ 0 < Z q) ->
  (forall x, f x = S (fun q => c q * (ln (T (fun w => d q w * exp (x w / tau))) - T (fun w => p q w * (x w / tau))))) ->
  (forall w, ok w -> g w = / tau * S (fun q => c q * (d q w * exp (x0 w / tau) / Z q - p q w))) ->
  convex_at ok T f g x0.
Proof.
  intros swap Z C F G. assert (E : forall y, T (fun w => g w * y w)
    = S (fun q => c q * (T (fun w => d q w * exp (x0 w / tau) / Z q * (y w / tau)) - T (fun w => p q w * (y w / tau))))).
  { intro y. rewrite (lin_ext L _ (fun w => S (fun q => c q * (d q w * exp (x0 w / tau) / Z q * (y w / tau) - p q w * (y w / tau))))), swap.
    - apply (lin_ext M); intros. rewrite (lin_scal L), (lin_minus L). reflexivity.
    - intros w Hw. rewrite G, (Rmult_comm (/ tau)), Rmult_assoc, Rmult_comm, <- (lin_scal M) by exact Hw. apply (lin_ext M); intros; unfold Rdiv; ring. }
  split.
  - intro x. rewrite E, !F, <- (lin_plus M). apply (lin_le M); intros q Hq. destruct (C q Hq) as [pos [D PZ]].
    assert (A := lse_above (d q) (fun w => x0 w / tau) (fun w => x w / tau) D PZ). cbv beta zeta in A. fold (Z q) in A |- *.
    rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [exact pos|].
    rewrite (lin_ext L (fun w => _ * ((x w - x0 w) / tau)) (fun w => d q w * exp (x0 w / tau) / Z q * (x w / tau - x0 w / tau))) by (intros; unfold Rdiv; ring).
    rewrite (lin_ext L (fun w => p q w * ((x w - x0 w) / tau)) (fun w => p q w * (x w / tau) - p q w * (x0 w / tau))), (lin_minus L) by (intros; unfold Rdiv; ring). lra.
  - intro y. rewrite E. eapply der_ext; [intro; symmetry; apply F|].
    apply (lin_der M (fun q r => c q * (ln (T (fun w => d q w * exp ((x0 w + r * y w) / tau))) - T (fun w => p q w * ((x0 w + r * y w) / tau))))). intros q Hq.
    apply (derivable_pt_lim_scal (fun r => ln _ - T _)). apply (derivable_pt_lim_minus (fun r => ln _)).
    + eapply der_ext; [|exact (lse_derivative (d q) (fun w => x0 w / tau) (fun w => y w / tau) (proj2 (proj2 (C q Hq))))].
      intro r. cbv beta. f_equal. apply (lin_ext L); intros. do 2 f_equal. unfold Rdiv; ring.
    + apply (lin_der L (fun w r => p q w * ((x0 w + r * y w) / tau))). intros w _. apply is_derive_Reals. auto_derive; [exact I | unfold Rdiv; ring].
  - intros x y e. rewrite !F. apply (lin_ext M); intros q _. f_equal. f_equal; [f_equal|]; apply (lin_ext L); intros w Hw; rewrite e by exact Hw; reflexivity.
Qed.
End Soft.

(* A term and its gradient, times tau, by relation; a row is a sum over all that a point is related to. *)
Definition partition_by {Q} (row : (Q -> R) -> R) (tau : R) (h : Q -> R) (t : softmax_term) : R :=
  row (fun q => denominator t q * exp (h q / tau)).
Definition gradient_by {Q} (row : (Q -> R) -> R) (tau : R) (terms : list softmax_term) (h : Q -> R) (q : Q) : R :=
  over terms (fun t => weight t * (denominator t q * exp (h q / tau) / partition_by row tau h t - positives t q)).
Definition value_by {Q} (row : (Q -> R) -> R) (tau : R) (terms : list softmax_term) (h : Q -> R) : R :=
  over terms (fun t => weight t * (ln (partition_by row tau h t) - row (fun q => positives t q * (h q / tau)))).
Record convex_by {Q} (row : (Q -> R) -> R) (tau : R) (terms : list softmax_term) (h : Q -> R) : Prop := {
  tau_pos : 0 < tau;
  weights : forall t, In t terms -> 0 <= weight t;
  denominators : forall t q, In t terms -> 0 <= denominator t q;
  partitions : forall t, In t terms -> 0 < partition_by row tau h t }.
Lemma softmax_at {P Q} {ok : P -> Prop} {T} (L : linear ok T) (related : P -> P -> Q) row tau terms h u :
  (forall F, T (fun w => F (related u w)) = row F) -> convex_by row tau terms h ->
  convex_at ok T (fun x => over terms (softmax T related tau (fun _ => x) u)) (fun w => / tau * gradient_by row tau terms h (related u w)) (fun w => h (related u w))
  /\ over terms (softmax T related tau (fun u w => h (related u w)) u) = value_by row tau terms h.
Proof.
  intros rows ok_. assert (parts : forall t, T (fun w => denominator t (related u w) * exp (h (related u w) / tau)) = partition_by row tau h t)
    by (intro t; exact (rows (fun q => denominator t q * exp (h q / tau)))). split.
  - refine (soft_convex L (over_linear terms) tau weight (fun t w => denominator t (related u w)) (fun t w => positives t (related u w)) _ _ _ (lin_over L terms) _ _ _);
      try reflexivity.
    + intros t Ht. rewrite parts. repeat split; [apply (weights _ _ _ _ ok_) | intros; apply (denominators _ _ _ _ ok_) | apply (partitions _ _ _ _ ok_)]; exact Ht.
    + intros w _. unfold gradient_by. f_equal. apply over_ext; intros t _. rewrite parts. reflexivity.
  - apply over_ext; intros t _. unfold softmax. rewrite parts, (rows (fun q => positives t q * (h q / tau))). reflexivity.
Qed.

(* Where a point is related to others by which indices agree; the sizes are real numbers here. *)
Definition partition (sizes : list R) (tau : R) (h : list bool -> R) (t : term) : R :=
  row sizes (fun b => denominator t b * exp (h b / tau)).
Definition gradient (sizes : list R) := gradient_by (row sizes).
Definition convex (sizes : list R) := convex_by (row sizes).
Section Softmax.
Variables (s : list nat) (tau : R) (terms : list term) (h : list bool -> R).
Hypothesis one : forall N, In N s -> (1 <= N)%nat.
Hypothesis ok : convex (map INR s) tau terms h.
Notation anchors := (fun u x => over terms (anchor_loss s tau (fun _ => x) u)).
Lemma partition_at t u : valid s u ->
  total s (fun w => denominator t (agree u w) * exp (h (agree u w) / tau)) = partition (map INR s) tau h t.
Proof. exact (total_agree s (fun b => denominator t b * exp (h b / tau)) u). Qed.
Definition anchor_at u Hu := softmax_at (total_linear s) agree (row (map INR s)) tau terms h u (fun F => total_agree s F u Hu) ok.
Theorem softmax_smooth : smooth_at s anchors (gradient (map INR s) tau terms h) h (/ tau).
Proof. split; [apply Rinv_0_lt_compat, (tau_pos _ _ _ _ ok) | exact (fun u Hu => proj1 (anchor_at u Hu))]. Qed.
Lemma value_by_at : loss s tau terms (by_relation h) = value_by (row (map INR s)) tau terms h.
Proof. apply (mean_at s anchors h one). exact (fun u Hu => proj2 (anchor_at u Hu)). Qed.
End Softmax.

(* ---- every positive has its own denominator ---- *)
Definition own_gradient (sizes : list R) (tau : R) (terms : list term) (h : list bool -> R) (a : list bool) : R :=
  over terms (fun t => weight t * (positives t a * (exp (h a / tau) / (exp (h a / tau) + partition sizes tau h t) - 1)
    + denominator t a * exp (h a / tau) * row sizes (fun b => positives t b / (exp (h b / tau) + partition sizes tau h t)))).
Definition same (a : list bool) : R := if forallb (fun b => b) a then 1 else 0.
Lemma total_same s u f : valid s u -> total s (fun v => same (agree u v) * f v) = f u.
Proof.
  revert u f; induction s; intros [|i u] f Hu; simpl in *; try contradiction; [unfold same; simpl; ring|].
  destruct Hu as [Hi Hu]. rewrite <- (sum_pick a i (fun x => f (x :: u))) by exact Hi. apply sum_ext; intros x _.
  unfold same. simpl. destruct (Nat.eqb i x); simpl.
  - exact (IHs u (fun v => f (x :: v)) Hu).
  - rewrite total_scal. ring.
Qed.

Section Own.
Variables (s : list nat) (tau : R) (terms : list term) (h : list bool -> R).
Notation Rs := (map INR s).
Hypothesis ok : convex Rs tau terms h.
Hypothesis pos : forall t a, In t terms -> 0 <= positives t a.
Notation anchors := (fun u x => over terms (own_anchor_loss s tau (fun _ => x) u)).
Theorem own_smooth : smooth_at s anchors (own_gradient Rs tau terms h) h (/ tau).
Proof.
  split; [apply Rinv_0_lt_compat, (tau_pos _ _ _ _ ok)|]. intros u Hu. assert (L := total_linear s).
  assert (Q : forall v d x, valid s v -> total s (fun w => (same (agree v w) + d w) * exp (x w)) = exp (x v) + total s (fun w => d w * exp (x w))).
  { intros v d x Hv. rewrite <- (total_same s v (fun w => exp (x w)) Hv), <- total_plus. apply total_ext; intros; ring. }
  refine (soft_convex L (nested_linear (okW := fun q => In (fst q) terms /\ valid s (snd q)) pair (over_linear terms) (fun _ => total_linear s) _)
    tau (fun q => weight (fst q) * positives (fst q) (agree u (snd q))) (fun q w => same (agree (snd q) w) + denominator (fst q) (agree u w))
    (fun q w => same (agree (snd q) w)) _ _ _ _ _ _ _).
  - intros; split; assumption.
  - intro f. rewrite (lin_over L). apply over_ext; intros t _. apply (total_swap s s (fun w v => f w (t, v))).
  - intros [t v] [Ht Hv]. simpl in *. rewrite Q, partition_at by assumption. repeat split.
    + apply Rmult_le_pos; [apply (weights _ _ _ _ ok) | apply pos]; exact Ht.
    + intros w _. apply Rplus_le_le_0_compat; [unfold same; destruct forallb; lra | apply (denominators _ _ _ _ ok); exact Ht].
    + apply Rplus_lt_0_compat; [apply exp_pos | apply (partitions _ _ _ _ ok); exact Ht].
  - intro x. apply over_ext; intros t _. unfold own_anchor_loss. rewrite <- total_scal. apply total_ext; intros v Hv.
    simpl. rewrite Q, (total_same s v (fun w => x w / tau)) by exact Hv. ring.
  - intros w Hw. unfold own_gradient. f_equal. apply over_ext; intros t _.
    rewrite <- (total_agree s (fun b => positives t b / (exp (h b / tau) + partition Rs tau h t)) u Hu), <- total_scal.
    assert (E := total_same s w (fun v => positives t (agree u v) * (exp (h (agree u w) / tau) / (exp (h (agree u v) / tau) + partition Rs tau h t) - 1)) Hw).
    cbv beta in E. rewrite <- E, <- total_plus, <- total_scal. apply total_ext; intros v Hv. simpl.
    rewrite Q, partition_at, (agree_sym w v) by assumption. unfold Rdiv. ring.
Qed.
Hypothesis one : forall N, In N s -> (1 <= N)%nat.
Definition own_value : R :=
  over terms (fun t => weight t * row Rs (fun b => positives t b * (ln (exp (h b / tau) + partition Rs tau h t) - h b / tau))).
Lemma own_value_at : own_loss s tau terms (by_relation h) = own_value.
Proof.
  apply (mean_at s anchors h one). intros u Hu. apply over_ext; intros t _. unfold own_anchor_loss.
  rewrite partition_at, <- (total_agree s _ u Hu) by exact Hu. reflexivity.
Qed.
End Own.

(* ---- sums of functions of single inner products ---- *)
Lemma softplus_above y x : ln (1 + exp y) + exp y / (1 + exp y) * (x - y) <= ln (1 + exp x).
Proof.
  assert (L := lse_above (over_linear [0; 1]) (fun _ => 1) (fun k => k * y) (fun k => k * x)). simpl in L.
  rewrite !Rmult_0_l, exp_0, !Rmult_1_l, !Rplus_0_r, Rminus_0_r, Rmult_0_r, Rplus_0_l in L. assert (P := exp_pos y). apply L; [intros; lra | lra].
Qed.
Definition pair_gradient (terms : list pair_term) (h : list bool -> R) (a : list bool) : R :=
  over terms (fun t => if among t a then strength t * (rate t * (exp (rate t * h a + shift t) / (1 + exp (rate t * h a + shift t)))) else 0).
Theorem pair_smooth s terms h : (forall t, In t terms -> 0 <= strength t) -> smooth_at s (fun u x => pair_anchor_loss s terms (fun _ => x) u) (pair_gradient terms h) h 1.
Proof.
  intro pos. split; [lra|]. intros u Hu. unfold pair_anchor_loss, pair_gradient. split.
  - intro x. rewrite <- total_plus. apply total_le; intros w _. rewrite Rmult_1_l, Rmult_comm, <- over_scal, <- over_plus.
    apply (lin_le (over_linear terms)); intros t Ht. destruct (among t (agree u w)); [|lra]. assert (P := pos t Ht).
    assert (L := softplus_above (rate t * h (agree u w) + shift t) (rate t * x w + shift t)). nra.
  - intro y. apply (lin_der (total_linear s) (fun w r => over terms (fun t => if among t (agree u w) then strength t * ln (1 + exp (rate t * (h (agree u w) + r * y w) + shift t)) else 0))).
    intros w _. rewrite Rmult_1_l, Rmult_comm, <- over_scal.
    apply (lin_der (over_linear terms) (fun t r => if among t (agree u w) then strength t * ln (1 + exp (rate t * (h (agree u w) + r * y w) + shift t)) else 0)).
    intros t _. destruct (among t (agree u w)); [|rewrite Rmult_0_r; apply derivable_pt_lim_const].
    assert (P := exp_pos (rate t * h (agree u w) + shift t)). apply is_derive_Reals.
    auto_derive; rewrite Rmult_0_l, Rplus_0_r; [lra | field; lra].
  - intros x y e. apply total_ext; intros w Hw. rewrite e by exact Hw. reflexivity.
Qed.

Definition supported (f : R -> R) (y d : R) : Prop := forall x, -1 <= x <= 1 -> f y + d * (x - y) <= f x.
Lemma supported_by (f d dd : R -> R) y :
  (forall x, -1 <= x <= 1 -> is_derive f x (d x)) -> (forall x, -1 <= x <= 1 -> is_derive d x (dd x)) ->
  (forall x, -1 <= x <= 1 -> 0 <= dd x) -> -1 <= y <= 1 -> supported f y (d y).
Proof.
  intros D DD P Hy x Hx. assert (rises : forall a b, -1 <= a -> a < b -> b <= 1 -> d a <= d b).
  { intros a b A l B. destruct (MVT_cor2 d dd a b l) as [c [E C]]; [intros; apply is_derive_Reals, DD; lra|].
    assert (0 <= dd c * (b - a)) by (apply Rmult_le_pos; [apply P|]; lra). lra. }
  destruct (Rtotal_order x y) as [l|[->|l]]; [|lra|].
  - destruct (MVT_cor2 f d x y l) as [c [E C]]; [intros; apply is_derive_Reals, D; lra|]. specialize (rises c y). nra.
  - destruct (MVT_cor2 f d y x l) as [c [E C]]; [intros; apply is_derive_Reals, D; lra|]. specialize (rises y c). nra.
Qed.
Ltac name_exponentials := unfold Rminus, Rdiv; repeat match goal with |- context [exp ?y] =>
  let e := fresh "e" in assert (0 < exp y) by apply exp_pos; set (e := exp y) in *; clearbody e end.
(* A kink: any slope between those on its two sides. *)
Lemma above_kink a b s : 0 <= s <= 1 -> s * a = Rmax 0 a -> Rmax 0 a + s * (b - a) <= Rmax 0 b.
Proof. intros Hs e. assert (M := Rmax_l 0 b). assert (N := Rmax_r 0 b). rewrite <- e.
  assert (0 <= s * (Rmax 0 b - b)) by (apply Rmult_le_pos; lra). assert (0 <= (1 - s) * Rmax 0 b) by (apply Rmult_le_pos; lra). lra. Qed.
Lemma above_kink_squared a b s : s = 2 * Rmax 0 a -> Rmax 0 a ^ 2 + s * (b - a) <= Rmax 0 b ^ 2.
Proof. intros ->. assert (M := Rmax_l 0 b). assert (N := Rmax_r 0 b). unfold Rmax at 1 2. destruct (Rle_dec 0 a); [|nra].
  assert (0 <= (Rmax 0 b - b) * a) by (apply Rmult_le_pos; lra). assert (0 <= (Rmax 0 b - a) ^ 2) by apply pow2_ge_0. lra. Qed.

Section Functions.
Variables (s : list nat) (terms : list function_term) (h A : list bool -> R).
Hypothesis one : forall N, In N s -> (1 <= N)%nat.
Hypothesis ok : forall a, length a = length s -> supported (pair_values terms a) (h a) (A a).
Notation anchors := (fun u x => function_anchor_loss s terms (fun _ => x) u).
Theorem function_tangent : tangent_to s anchors A h 1.
Proof.
  split; [lra|]. intros u x Hu range. unfold function_anchor_loss. rewrite <- total_plus. apply total_le; intros w Hw.
  rewrite Rmult_1_l. apply ok; [apply agree_length; assumption | apply range, Hw].
Qed.
Definition function_value : R := row (map INR s) (fun a => pair_values terms a (h a)).
Lemma function_value_at : function_loss s terms (by_relation h) = function_value.
Proof. apply (mean_at s anchors h one). intros u Hu. exact (total_agree s (fun a => pair_values terms a (h a)) u Hu). Qed.
End Functions.
