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
  apply Rmult_le_compat_l; [left; apply exp_pos | apply exp_over].
Qed.
Lemma lse_above_of {P : Type} (ok : P -> Prop) (T : (P -> R) -> R) (d x0 x : P -> R) :
  (forall f g, (forall w, ok w -> f w <= g w) -> T f <= T g) -> (forall f g, T (fun w => f w + g w) = T f + T g) ->
  (forall c f, T (fun w => c * f w) = c * T f) -> (forall w, ok w -> 0 <= d w) ->
  let Z := T (fun w => d w * exp (x0 w)) in 0 < Z ->
  ln Z + T (fun w => d w * exp (x0 w) / Z * (x w - x0 w)) <= ln (T (fun w => d w * exp (x w))).
Proof.
  intros T_le T_plus T_scal D Z PZ. set (r := T (fun w => d w * exp (x0 w) / Z * (x w - x0 w))). assert (Pr := exp_pos r).
  assert (K : exp r * Z <= T (fun w => d w * exp (x w))).
  { apply Rle_trans with (T (fun w => exp r * (1 - r) * (d w * exp (x0 w)) + exp r * Z * (d w * exp (x0 w) / Z * (x w - x0 w)))).
    - rewrite T_plus, !T_scal. fold r. fold Z. right; ring.
    - apply T_le; intros w Hw. assert (E := tangent (x w) (r + x0 w)). rewrite exp_plus in E.
      replace (exp r * (1 - r) * (d w * exp (x0 w)) + exp r * Z * (d w * exp (x0 w) / Z * (x w - x0 w)))
        with (d w * (exp r * exp (x0 w) * (1 + (x w - (r + x0 w))))) by (field; lra).
      apply Rmult_le_compat_l; [apply D; exact Hw | exact E]. }
  replace (ln Z + r) with (ln (exp r * Z)) by (rewrite ln_mult, ln_exp by assumption; ring).
  destruct K as [K|K]; [left; apply ln_increasing; [apply Rmult_lt_0_compat|]; assumption | rewrite K; lra].
Qed.
Lemma lse_above s d x0 x : (forall w, valid s w -> 0 <= d w) ->
  let Z := total s (fun w => d w * exp (x0 w)) in 0 < Z ->
  ln Z + total s (fun w => d w * exp (x0 w) / Z * (x w - x0 w)) <= ln (total s (fun w => d w * exp (x w))).
Proof. intro D. exact (lse_above_of (valid s) (total s) d x0 x (total_le s) (total_plus s) (total_scal s) D). Qed.
Lemma der_affine a b x : derivable_pt_lim (fun t => a + t * b) x b.
Proof.
  intros eps He. exists (mkposreal 1 Rlt_0_1). intros h h0 _.
  replace ((a + (x + h) * b - (a + x * b)) / h - b) with 0 by (field; exact h0). rewrite Rabs_R0. exact He.
Qed.
Lemma lse_derivative s d x0 y : let Z := total s (fun w => d w * exp (x0 w)) in 0 < Z ->
  derivable_pt_lim (fun t => ln (total s (fun w => d w * exp (x0 w + t * y w)))) 0 (total s (fun w => d w * exp (x0 w) / Z * y w)).
Proof.
  intros Z PZ.
  assert (Z0 : total s (fun w => d w * exp (x0 w + 0 * y w)) = Z) by (apply total_ext; intros; do 2 f_equal; ring).
  replace (total s (fun w => d w * exp (x0 w) / Z * y w)) with (/ Z * total s (fun w => d w * (exp (x0 w + 0 * y w) * y w))).
  2: { rewrite <- total_scal. apply total_ext; intros w _. replace (x0 w + 0 * y w) with (x0 w) by ring. unfold Rdiv; ring. }
  apply (derivable_pt_lim_comp (fun t => total s (fun w => d w * exp (x0 w + t * y w))) ln).
  - apply (total_der s (fun w t => d w * exp (x0 w + t * y w))). intros w _.
    apply (derivable_pt_lim_scal (fun t => exp (x0 w + t * y w))).
    apply (derivable_pt_lim_comp (fun t => x0 w + t * y w) exp); [apply der_affine | apply derivable_pt_lim_exp].
  - rewrite Z0. apply derivable_pt_lim_ln. exact PZ.
Qed.

(* A logarithm less what is linear: d are the weights in the denominator, p those of the positives. *)
Definition soft (s : list nat) (d p x : point -> R) : R := ln (total s (fun w => d w * exp (x w))) - total s (fun w => p w * x w).
Definition soft_pull (s : list nat) (d p x : point -> R) (w : point) : R := d w * exp (x w) / total s (fun w => d w * exp (x w)) - p w.
Lemma soft_above s d p x0 x : (forall w, valid s w -> 0 <= d w) -> 0 < total s (fun w => d w * exp (x0 w)) ->
  soft s d p x0 + total s (fun w => soft_pull s d p x0 w * (x w - x0 w)) <= soft s d p x.
Proof.
  intros D P. assert (L := lse_above s d x0 x D P). unfold soft, soft_pull in *. set (z := total s (fun w => d w * exp (x0 w))) in *.
  rewrite (total_ext s (fun w => (_ - _) * _) (fun w => d w * exp (x0 w) / z * (x w - x0 w) - (p w * x w - p w * x0 w))) by (intros; ring).
  rewrite !total_minus. lra.
Qed.
Lemma soft_derivative s d p x y : 0 < total s (fun w => d w * exp (x w)) ->
  derivable_pt_lim (fun r => soft s d p (fun w => x w + r * y w)) 0 (total s (fun w => soft_pull s d p x w * y w)).
Proof.
  intro P. assert (L := lse_derivative s d x y P). unfold soft, soft_pull. set (z := total s (fun w => d w * exp (x w))) in *.
  rewrite (total_ext s _ (fun w => d w * exp (x w) / z * y w - p w * y w)) by (intros; ring). rewrite total_minus.
  apply (derivable_pt_lim_minus (fun r => ln (total s (fun w => d w * exp (x w + r * y w))))); [exact L|].
  apply der_ext with (fun r => total s (fun w => p w * x w) + r * total s (fun w => p w * y w)); [|apply der_affine].
  intro r. rewrite <- total_scal, <- total_plus. apply total_ext; intros; ring.
Qed.

Lemma over_ext {T} (l : list T) f g : (forall t, In t l -> f t = g t) -> over l f = over l g.
Proof. induction l; simpl; intro e; [reflexivity|]. rewrite e, IHl; auto. Qed.
Lemma over_le {T} (l : list T) f g : (forall t, In t l -> f t <= g t) -> over l f <= over l g.
Proof. induction l; simpl; intro e; [lra|]. apply Rplus_le_compat; [apply e | apply IHl]; auto. Qed.
Lemma over_plus {T} (l : list T) f g : over l (fun t => f t + g t) = over l f + over l g.
Proof. induction l; simpl; [ring|]. rewrite IHl; ring. Qed.
Lemma over_scal {T} (l : list T) c f : over l (fun t => c * f t) = c * over l f.
Proof. induction l; simpl; [ring|]. rewrite IHl; ring. Qed.
Lemma over_total {T} s (l : list T) f : over l (fun t => total s (fun w => f t w)) = total s (fun w => over l (fun t => f t w)).
Proof. induction l; simpl; [rewrite total_zero; reflexivity|]. rewrite IHl, <- total_plus. reflexivity. Qed.
Lemma over_der {T} l (f : T -> R -> R) g x : (forall t, In t l -> derivable_pt_lim (f t) x (g t)) ->
  derivable_pt_lim (fun r => over l (fun t => f t r)) x (over l g).
Proof.
  induction l; simpl; intro D; [apply derivable_pt_lim_const|].
  apply (derivable_pt_lim_plus (f a) (fun r => over l (fun t => f t r))); [apply D | apply IHl]; auto.
Qed.

(* The gradient by relation, times tau; the sizes are real numbers here. *)
Definition partition (sizes : list R) (tau : R) (h : list bool -> R) (t : term) : R :=
  row sizes (fun b => denominator t b * exp (h b / tau)).
Definition gradient (sizes : list R) (tau : R) (terms : list term) (h : list bool -> R) (a : list bool) : R :=
  over terms (fun t => weight t * (denominator t a * exp (h a / tau) / partition sizes tau h t - positives t a)).
Record convex (sizes : list R) (tau : R) (terms : list term) (h : list bool -> R) : Prop := {
  tau_pos : 0 < tau;
  weights : forall t, In t terms -> 0 <= weight t;
  denominators : forall t a, In t terms -> 0 <= denominator t a;
  partitions : forall t, In t terms -> 0 < partition sizes tau h t }.

Section Softmax.
Variables (s : list nat) (tau : R) (terms : list term) (h : list bool -> R).
Hypothesis one : forall N, In N s -> (1 <= N)%nat.
Notation Rs := (map INR s).
Hypothesis ok : convex Rs tau terms h.
Notation A := (gradient Rs tau terms h).
Notation anchors := (fun H u => over terms (anchor_loss s tau H u)).

Lemma partition_at t u : valid s u ->
  total s (fun w => denominator t (agree u w) * exp (by_relation h u w / tau)) = partition Rs tau h t.
Proof. intro Hu. exact (total_agree s (fun b => denominator t b * exp (h b / tau)) u Hu). Qed.

(* The gradient of a term; with x = y / tau. *)
Notation pull := (fun t a => denominator t a * exp (h a / tau) / partition Rs tau h t - positives t a).
Lemma pulls (d : point -> R) u :
  over terms (fun t => weight t * total s (fun w => pull t (agree u w) * (d w / tau))) = / tau * total s (fun w => A (agree u w) * d w).
Proof.
  rewrite (over_ext terms _ (fun t => total s (fun w => weight t * (pull t (agree u w) * (d w / tau))))) by (intros; rewrite <- total_scal; reflexivity).
  rewrite over_total, <- total_scal. apply total_ext; intros w _. unfold gradient.
  transitivity (d w / tau * over terms (fun t => weight t * pull t (agree u w))).
  - rewrite <- over_scal. apply over_ext; intros; ring.
  - unfold Rdiv; ring.
Qed.
Lemma as_soft t u : In t terms -> valid s u -> let d w := denominator t (agree u w) in let p w := positives t (agree u w) in
  (forall w, valid s w -> 0 <= d w) /\ 0 < total s (fun w => d w * exp (h (agree u w) / tau)) /\
  forall y, soft_pull s d p (fun w => h (agree u w) / tau) y = pull t (agree u y).
Proof.
  intros Ht Hu. assert (Z := partition_at t u Hu). unfold by_relation in Z. unfold soft_pull. rewrite Z.
  split; [intros; apply (denominators _ _ _ _ ok); exact Ht | split; [apply (partitions _ _ _ _ ok); exact Ht | reflexivity]].
Qed.
Theorem softmax_tangent : tangent_to s anchors A h (/ tau).
Proof.
  assert (T := tau_pos _ _ _ _ ok). split; [apply Rinv_0_lt_compat; exact T|]. intros H u _ Hu.
  rewrite <- (pulls (fun w => H u w - h (agree u w)) u), <- over_plus. apply over_le; intros t Ht. destruct (as_soft t u Ht Hu) as [D [P E]].
  unfold anchor_loss. rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [apply (weights _ _ _ _ ok); exact Ht|].
  eapply Rle_trans; [|exact (soft_above s _ (fun w => positives t (agree u w)) _ (fun w => H u w / tau) D P)].
  right. unfold soft. f_equal. apply total_ext; intros w _. rewrite E. unfold Rdiv. ring.
Qed.
Theorem softmax_slope : slope_at s anchors A h (/ tau).
Proof.
  split.
  - intros d u Hu. rewrite <- (pulls (d u) u).
    apply (over_der terms (fun t r => anchor_loss s tau (fun u w => h (agree u w) + r * d u w) u t)). intros t Ht. destruct (as_soft t u Ht Hu) as [_ [P E]].
    rewrite (total_ext s _ (fun w => soft_pull s _ _ _ w * (d u w / tau)) (fun w _ => f_equal (fun y => y * _) (eq_sym (E w)))).
    apply der_ext with (2 := derivable_pt_lim_scal _ (weight t) _ _ (soft_derivative s _ _ _ (fun w => d u w / tau) P)).
    intro r. unfold mult_real_fct, anchor_loss, soft. f_equal. f_equal; [f_equal|]; apply total_ext; intros w _; unfold Rdiv; first [ring | do 2 f_equal; ring].
  - intros H G u e. apply over_ext; intros t _. unfold anchor_loss.
    f_equal. f_equal; [f_equal|]; apply total_ext; intros w Hw; rewrite e by assumption; reflexivity.
Qed.

(* The loss at inner products by relation, in closed form. *)
Definition value : R :=
  over terms (fun t => weight t * (ln (partition Rs tau h t) - row Rs (fun a => positives t a * (h a / tau)))).
Lemma value_at : loss s tau terms (by_relation h) = value.
Proof.
  apply (mean_at s anchors h one). intros u Hu. apply over_ext; intros t _. unfold anchor_loss. rewrite (partition_at t u Hu).
  rewrite (total_agree s (fun a => positives t a * (h a / tau)) u Hu : total s (fun w => positives t (agree u w) * (by_relation h u w / tau)) = _). reflexivity.
Qed.
End Softmax.

(* ---- every positive has its own denominator ---- *)
Definition own_gradient (sizes : list R) (tau : R) (terms : list term) (h : list bool -> R) (a : list bool) : R :=
  over terms (fun t => weight t * (positives t a * (exp (h a / tau) / (exp (h a / tau) + partition sizes tau h t) - 1)
    + denominator t a * exp (h a / tau) * row sizes (fun b => positives t b / (exp (h b / tau) + partition sizes tau h t)))).

Section Own.
Variables (s : list nat) (tau : R) (terms : list term) (h : list bool -> R).
Notation Rs := (map INR s).
Hypothesis ok : convex Rs tau terms h.
Hypothesis pos : forall t a, In t terms -> 0 <= positives t a.
Notation anchors := (fun H u => over terms (own_anchor_loss s tau H u)).
Notation e := (fun a => exp (h a / tau)).
Theorem own_tangent : tangent_to s anchors (own_gradient Rs tau terms h) h (/ tau).
Proof.
  assert (T := tau_pos _ _ _ _ ok). split; [apply Rinv_0_lt_compat; exact T|]. intros H u _ Hu.
  set (D := fun w => H u w / tau - h (agree u w) / tau).
  assert (Q : forall t, In t terms -> weight t * total s (fun v => positives t (agree u v) * (total s (fun w =>
      (same (agree v w) + denominator t (agree u w)) * e (agree u w) / (e (agree u v) + partition Rs tau h t) * D w) - D v))
    <= own_anchor_loss s tau H u t - own_anchor_loss s tau (by_relation h) u t).
  { intros t Ht. unfold own_anchor_loss. rewrite <- Rmult_minus_distr_l, <- total_minus.
    apply Rmult_le_compat_l; [apply (weights _ _ _ _ ok); exact Ht|]. apply total_le; intros v Hv.
    rewrite <- Rmult_minus_distr_l. apply Rmult_le_compat_l; [apply pos; exact Ht|].
    assert (Z : total s (fun w => denominator t (agree u w) * exp (h (agree u w) / tau)) = partition Rs tau h t)
      by exact (total_agree s (fun b => denominator t b * e b) u Hu).
    assert (PZ := partitions _ _ _ _ ok t Ht). assert (PE := exp_pos (h (agree u v) / tau)).
    assert (P : forall y, total s (fun w => (same (agree v w) + denominator t (agree u w)) * exp (y w)) = exp (y v) + total s (fun w => denominator t (agree u w) * exp (y w))).
    { intro y. rewrite <- (total_same s v (fun w => exp (y w)) Hv), <- total_plus. apply total_ext; intros; ring. }
    assert (L := lse_above s (fun w => same (agree v w) + denominator t (agree u w)) (fun w => h (agree u w) / tau) (fun w => H u w / tau)).
    cbv zeta in L. rewrite !P, Z in L. unfold by_relation, D. rewrite Z.
    enough (0 < e (agree u v) + partition Rs tau h t /\ (forall w, valid s w -> 0 <= same (agree v w) + denominator t (agree u w))) as [X Y]
      by (specialize (L Y X); cbv beta in *; lra).
    split; [cbv beta; lra|]. intros w _. apply Rplus_le_le_0_compat; [unfold same; destruct forallb; lra | apply (denominators _ _ _ _ ok); exact Ht]. }
  enough (/ tau * total s (fun w => own_gradient Rs tau terms h (agree u w) * (H u w - h (agree u w)))
    = over terms (fun t => weight t * total s (fun v => positives t (agree u v) * (total s (fun w =>
      (same (agree v w) + denominator t (agree u w)) * e (agree u w) / (e (agree u v) + partition Rs tau h t) * D w) - D v)))) as ->.
  - rewrite <- over_plus. apply over_le. intros t Ht. specialize (Q t Ht). lra.
  - rewrite <- total_scal.
    rewrite (total_ext s _ (fun w => over terms (fun t => weight t * ((positives t (agree u w) * (e (agree u w) / (e (agree u w) + partition Rs tau h t) - 1)
      + denominator t (agree u w) * e (agree u w) * row Rs (fun b => positives t b / (e b + partition Rs tau h t))) * D w)))).
    2: { intros w _. unfold own_gradient, D. transitivity ((H u w / tau - h (agree u w) / tau) * over terms (fun t => weight t * (positives t (agree u w) * (e (agree u w) / (e (agree u w) + partition Rs tau h t) - 1)
      + denominator t (agree u w) * e (agree u w) * row Rs (fun b => positives t b / (e b + partition Rs tau h t))))); [unfold Rdiv; ring|].
      rewrite <- over_scal. apply over_ext; intros; ring. }
    rewrite <- over_total. apply over_ext; intros t _. rewrite total_scal. f_equal.
    rewrite <- (total_agree s (fun b => positives t b / (e b + partition Rs tau h t)) u Hu). set (R := total s _).
    transitivity (total s (fun w => positives t (agree u w) * (e (agree u w) / (e (agree u w) + partition Rs tau h t) - 1) * D w)
      + total s (fun v => positives t (agree u v) / (e (agree u v) + partition Rs tau h t)) * total s (fun w => denominator t (agree u w) * e (agree u w) * D w)).
    { fold R. rewrite <- total_scal, <- total_plus. apply total_ext; intros; ring. }
    rewrite Rmult_comm, <- total_scal, <- total_plus. apply total_ext; intros v Hv.
    rewrite (total_ext s (fun w => _ / _ * D w) (fun w => same (agree v w) * (e (agree u w) / (e (agree u v) + partition Rs tau h t) * D w)
      + / (e (agree u v) + partition Rs tau h t) * (denominator t (agree u w) * e (agree u w) * D w))) by (intros; unfold Rdiv; ring).
    rewrite total_plus, total_same, total_scal by exact Hv. unfold Rdiv; ring.
Qed.
Hypothesis one : forall N, In N s -> (1 <= N)%nat.
Definition own_value : R :=
  over terms (fun t => weight t * row Rs (fun b => positives t b * (ln (exp (h b / tau) + partition Rs tau h t) - h b / tau))).
Lemma own_value_at : own_loss s tau terms (by_relation h) = own_value.
Proof.
  apply (mean_at s anchors h one). intros u Hu. apply over_ext; intros t _. unfold own_anchor_loss.
  rewrite (total_agree s (fun b => denominator t b * exp (h b / tau)) u Hu : total s (fun w => denominator t (agree u w) * exp (by_relation h u w / tau)) = partition Rs tau h t).
  rewrite <- (total_agree s _ u Hu). reflexivity.
Qed.
End Own.

(* ---- sigmoid losses ---- *)
Lemma softplus_above y x : ln (1 + exp y) + exp y / (1 + exp y) * (x - y) <= ln (1 + exp x).
Proof.
  assert (P := exp_pos y). assert (L := lse_above [2%nat] (fun _ => 1) (fun w => match w with [O] => 0 | _ => y end) (fun w => match w with [O] => 0 | _ => x end)).
  simpl in L. rewrite !exp_0, !Rplus_0_l, !Rmult_1_l in L. replace (1 / (1 + exp y) * (0 - 0)) with 0 in L by ring.
  rewrite Rplus_0_l in L. apply L; [intros; lra | lra].
Qed.
Lemma softplus_derivative y d : derivable_pt_lim (fun r => ln (1 + exp (y + r * d))) 0 (exp y / (1 + exp y) * d).
Proof.
  assert (P := exp_pos y). assert (L := lse_derivative [2%nat] (fun _ => 1) (fun w => match w with [O] => 0 | _ => y end) (fun w => match w with [O] => 0 | _ => d end)).
  simpl in L. rewrite exp_0, !Rplus_0_l, !Rmult_1_l, Rmult_0_r, Rplus_0_l in L.
  apply der_ext with (2 := L ltac:(lra)). intro r. rewrite !Rmult_0_r, !Rplus_0_r, exp_0, Rplus_0_l, !Rmult_1_l. reflexivity.
Qed.
Definition pair_gradient (terms : list pair_term) (h : list bool -> R) (a : list bool) : R :=
  over terms (fun t => if among t a then strength t * (rate t * (exp (rate t * h a + shift t) / (1 + exp (rate t * h a + shift t)))) else 0).

Section Pairs.
Variables (s : list nat) (terms : list pair_term) (h : list bool -> R).
Theorem pair_tangent : (forall t, In t terms -> 0 <= strength t) -> tangent_to s (pair_anchor_loss s terms) (pair_gradient terms h) h 1.
Proof.
  intro pos. split; [lra|]. intros H u _ Hu. unfold pair_anchor_loss. rewrite Rmult_1_l, <- total_plus. apply total_le; intros w _.
  unfold pair_gradient. rewrite Rmult_comm, <- over_scal, <- over_plus. apply over_le; intros t Ht. unfold by_relation.
  destruct (among t (agree u w)); [|lra].
  assert (L := softplus_above (rate t * h (agree u w) + shift t) (rate t * H u w + shift t)).
  apply Rmult_le_compat_l with (r := strength t) in L; [|apply pos; exact Ht]. eapply Rle_trans; [|exact L]. right. ring.
Qed.
Theorem pair_slope : slope_at s (pair_anchor_loss s terms) (pair_gradient terms h) h 1.
Proof.
  split.
  - intros d u Hu. rewrite Rmult_1_l. apply (total_der s (fun w r => over terms (fun t => if among t (agree u w) then strength t * ln (1 + exp (rate t * (h (agree u w) + r * d u w) + shift t)) else 0))).
    intros w _. unfold pair_gradient. rewrite Rmult_comm, <- over_scal.
    apply (over_der terms (fun t r => if among t (agree u w) then strength t * ln (1 + exp (rate t * (h (agree u w) + r * d u w) + shift t)) else 0)).
    intros t _. destruct (among t (agree u w)); [|rewrite Rmult_0_r; apply derivable_pt_lim_const].
    assert (L := derivable_pt_lim_scal _ (strength t) _ _ (softplus_derivative (rate t * h (agree u w) + shift t) (rate t * d u w))).
    replace (d u w * _) with (strength t * (exp (rate t * h (agree u w) + shift t) / (1 + exp (rate t * h (agree u w) + shift t)) * (rate t * d u w))) by ring.
    apply der_ext with (2 := L). intro r. unfold mult_real_fct. do 3 f_equal. f_equal. ring.
  - intros H G u e. apply total_ext; intros w Hw. rewrite e by exact Hw. reflexivity.
Qed.
End Pairs.

(* ---- convex functions of single inner products ---- *)
Definition supported (f : R -> R) (y d : R) : Prop := forall x, -1 <= x <= 1 -> f y + d * (x - y) <= f x.
Lemma supported_by (f d dd : R -> R) y :
  (forall x, -1 <= x <= 1 -> is_derive f x (d x)) -> (forall x, -1 <= x <= 1 -> is_derive d x (dd x)) ->
  (forall x, -1 <= x <= 1 -> 0 <= dd x) -> -1 <= y <= 1 -> supported f y (d y).
Proof.
  intros D DD P Hy x Hx.
  assert (M : forall g g', (forall x, -1 <= x <= 1 -> is_derive g x (g' x)) -> forall a b, -1 <= a -> a <= b -> b <= 1 ->
    exists c, g b - g a = g' c * (b - a) /\ a <= c <= b).
  { intros g g' G a b Ha [ab|<-] Hb; [|exists a; split; [ring | lra]]. destruct (MVT_cor2 g g' a b ab) as [c [E C]].
    - intros c Hc. apply is_derive_Reals, G. lra.
    - exists c. split; [exact E | lra]. }
  assert (I : forall a b, -1 <= a -> a <= b -> b <= 1 -> d a <= d b).
  { intros a b Ha ab Hb. destruct (M d dd DD a b Ha ab Hb) as [c [E C]].
    assert (0 <= dd c * (b - a)) by (apply Rmult_le_pos; [apply P|]; lra). lra. }
  destruct (Rle_lt_dec y x) as [l|l]; [destruct (M f d D y x) as [c [E C]] | destruct (M f d D x y) as [c [E C]]]; try lra.
  - assert (0 <= (d c - d y) * (x - y)) by (apply Rmult_le_pos; [assert (J := I y c)|]; lra). lra.
  - assert (0 <= (d y - d c) * (y - x)) by (apply Rmult_le_pos; [assert (J := I c y)|]; lra). lra.
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
Theorem function_tangent : tangent_to s (function_anchor_loss s terms) A h 1.
Proof.
  split; [lra|]. intros H u g Hu. unfold function_anchor_loss. rewrite Rmult_1_l, <- total_plus. apply total_le; intros w Hw.
  apply ok; [apply agree_length; assumption | apply (gram_range s); assumption].
Qed.
Definition function_value : R := row (map INR s) (fun a => pair_values terms a (h a)).
Lemma function_value_at : function_loss s terms (by_relation h) = function_value.
Proof. apply (mean_at s (function_anchor_loss s terms) h one). intros u Hu. unfold function_value. rewrite <- (total_agree s _ u Hu). reflexivity. Qed.
End Functions.
