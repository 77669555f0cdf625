(* Written by cltheory. When one inner product per relation is optimal, and when it is not. *)
From Coq Require Import Reals Lra Lia List Arith.
Require Import cltheory_loss cltheory_gram.
Import ListNotations.
Open Scope R_scope.

Lemma tangent x y : exp y * (1 + (x - y)) <= exp x.
Proof.
  assert (H : 1 + (x - y) <= exp (x - y)).
  { destruct (Req_dec (x - y) 0) as [e|e]; [rewrite e, exp_0; lra | left; apply exp_ineq1; exact e]. }
  replace (exp x) with (exp y * exp (x - y)) by (rewrite <- exp_plus; f_equal; lra).
  apply Rmult_le_compat_l; [left; apply exp_pos | exact H].
Qed.
Lemma lse_above s d x0 x : (forall w, valid s w -> 0 <= d w) ->
  let Z := total s (fun w => d w * exp (x0 w)) in 0 < Z ->
  ln Z + total s (fun w => d w * exp (x0 w) / Z * (x w - x0 w)) <= ln (total s (fun w => d w * exp (x w))).
Proof.
  intros D Z PZ. set (r := total s (fun w => d w * exp (x0 w) / Z * (x w - x0 w))). assert (Pr := exp_pos r).
  assert (K : exp r * Z <= total s (fun w => d w * exp (x w))).
  { apply Rle_trans with (total s (fun w => exp r * (1 - r) * (d w * exp (x0 w)) + exp r * Z * (d w * exp (x0 w) / Z * (x w - x0 w)))).
    - rewrite total_plus, !total_scal. fold r. fold Z. right; ring.
    - apply total_le; intros w Hw. assert (T := tangent (x w) (r + x0 w)). rewrite exp_plus in T.
      replace (exp r * (1 - r) * (d w * exp (x0 w)) + exp r * Z * (d w * exp (x0 w) / Z * (x w - x0 w)))
        with (d w * (exp r * exp (x0 w) * (1 + (x w - (r + x0 w))))) by (field; lra).
      apply Rmult_le_compat_l; [apply D; exact Hw | exact T]. }
  replace (ln Z + r) with (ln (exp r * Z)) by (rewrite ln_mult, ln_exp by assumption; ring).
  destruct K as [K|K]; [left; apply ln_increasing; [apply Rmult_lt_0_compat|]; assumption | rewrite K; lra].
Qed.
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
Lemma der_ext f g x l : (forall t, f t = g t) -> derivable_pt_lim f x l -> derivable_pt_lim g x l.
Proof. intros e D eps He. destruct (D eps He) as [d Hd]. exists d. intros h. rewrite <- !e. apply Hd. Qed.

Lemma over_ext l f g : (forall t, In t l -> f t = g t) -> over l f = over l g.
Proof. induction l; simpl; intro e; [reflexivity|]. rewrite e, IHl; auto. Qed.
Lemma over_le l f g : (forall t, In t l -> f t <= g t) -> over l f <= over l g.
Proof. induction l; simpl; intro e; [lra|]. apply Rplus_le_compat; [apply e | apply IHl]; auto. Qed.
Lemma over_plus l f g : over l (fun t => f t + g t) = over l f + over l g.
Proof. induction l; simpl; [ring|]. rewrite IHl; ring. Qed.
Lemma over_scal l c f : over l (fun t => c * f t) = c * over l f.
Proof. induction l; simpl; [ring|]. rewrite IHl; ring. Qed.
Lemma over_total s l f : over l (fun t => total s (fun w => f t w)) = total s (fun w => over l (fun t => f t w)).
Proof. induction l; simpl; [rewrite total_zero; reflexivity|]. rewrite IHl, <- total_plus. reflexivity. Qed.
Lemma over_der l (f : term -> R -> R) g x : (forall t, In t l -> derivable_pt_lim (f t) x (g t)) ->
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
Definition level (sizes : list R) tau terms h : R := row sizes (fun a => gradient sizes tau terms h a * h a).
Record convex (sizes : list R) (tau : R) (terms : list term) (h : list bool -> R) : Prop := {
  tau_pos : 0 < tau;
  weights : forall t, In t terms -> 0 <= weight t;
  denominators : forall t a, In t terms -> 0 <= denominator t a;
  partitions : forall t, In t terms -> 0 < partition sizes tau h t }.

Section Optimal.
Variables (s : list nat) (tau : R) (terms : list term) (h : list bool -> R).
Hypothesis one : forall N, In N s -> (1 <= N)%nat.
Notation Rs := (map INR s).
Hypothesis ok : convex Rs tau terms h.
Notation A := (gradient Rs tau terms h).
Notation size := (total s (fun _ => 1)).

Lemma partition_at t u : valid s u ->
  total s (fun w => denominator t (agree u w) * exp (by_relation h u w / tau)) = partition Rs tau h t.
Proof. intro Hu. exact (total_agree s (fun b => denominator t b * exp (h b / tau)) u Hu). Qed.

Lemma loss_above H : loss s tau terms (by_relation h)
  + total s (fun u => total s (fun w => A (agree u w) * (H u w - h (agree u w)))) / tau / size <= loss s tau terms H.
Proof.
  assert (T := tau_pos _ _ _ _ ok). assert (P := size_pos s one).
  unfold loss. set (X := total s (fun u => total s (fun w => A (agree u w) * _))).
  match goal with |- ?a / ?n + _ <= ?b / ?n => replace (a / n + X / tau / n) with ((a + / tau * X) / n) by (field; lra) end.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact P|].
  unfold X. rewrite <- total_scal, <- total_plus. apply total_le; intros u Hu.
  apply Rle_trans with (over terms (fun t => anchor_loss s tau (by_relation h) u t
    + weight t * total s (fun w => (denominator t (agree u w) * exp (h (agree u w) / tau) / partition Rs tau h t - positives t (agree u w)) * (H u w / tau - h (agree u w) / tau)))).
  - right. rewrite over_plus. f_equal. unfold gradient. rewrite <- total_scal.
    rewrite (over_ext terms (fun t => weight t * total s _) (fun t => total s (fun w => weight t * ((denominator t (agree u w) * exp (h (agree u w) / tau) / partition Rs tau h t - positives t (agree u w)) * (H u w / tau - h (agree u w) / tau))))) by (intros; rewrite <- total_scal; reflexivity).
    rewrite over_total. apply total_ext; intros w _.
    rewrite Rmult_comm, Rmult_assoc, Rmult_comm, <- over_scal. apply over_ext; intros t _. unfold Rdiv; ring.
  - apply over_le; intros t Ht. unfold anchor_loss. rewrite <- Rmult_plus_distr_l.
    apply Rmult_le_compat_l; [apply (weights _ _ _ _ ok); exact Ht|].
    assert (Z := partition_at t u Hu). assert (PZ := partitions _ _ _ _ ok t Ht).
    assert (L := lse_above s (fun w => denominator t (agree u w)) (fun w => by_relation h u w / tau) (fun w => H u w / tau)
      (fun w _ => denominators _ _ _ _ ok t _ Ht)). cbv beta zeta in L. rewrite Z in L. specialize (L PZ). rewrite Z.
    rewrite (total_ext s (fun w => (_ - positives t (agree u w)) * _) (fun w => denominator t (agree u w) * exp (by_relation h u w / tau) / partition Rs tau h t * (H u w / tau - by_relation h u w / tau)
      - (positives t (agree u w) * (H u w / tau) - positives t (agree u w) * (by_relation h u w / tau)))) by (intros; unfold by_relation; ring).
    rewrite !total_minus. lra.
Qed.

Lemma spaces_le f g : (forall k, length k = length s -> Forall (fun k => k <> All) k -> f k <= g k) -> spaces Rs f <= spaces Rs g.
Proof.
  clear. revert f g; induction s; simpl; intros f g e; [apply e; [reflexivity | constructor]|].
  apply Rplus_le_compat; apply IHl; intros; apply e; simpl; try congruence; constructor; try discriminate; assumption.
Qed.
Lemma there_dec k : {there s k} + {~ there s k}.
Proof.
  clear. revert k; induction s; intros [|k ks]; simpl; try (right; exact (fun x => x)); [left; exact I|].
  destruct k; [apply IHl | | apply IHl]. destruct (le_lt_dec 2 a), (IHl ks); [left; split; assumption | right; tauto | right; lia | right; lia].
Qed.
Lemma trace H : gram s H -> spaces Rs (share s H) = size.
Proof.
  intro g. transitivity (total s (fun u => total s (fun v => same (agree u v) * H u v))).
  - rewrite by_spaces by exact one. apply Rle_antisym; apply spaces_le; intros; rewrite eigen_same; try (rewrite map_length); try assumption; lra.
  - apply total_ext; intros u Hu. rewrite total_same by exact Hu. apply (gram_unit s H g u Hu).
Qed.

Lemma at_level : total s (fun u => total s (fun w => A (agree u w) * h (agree u w))) = level Rs tau terms h * size.
Proof.
  rewrite <- total_scal. apply total_ext; intros u Hu. rewrite Rmult_1_r.
  exact (total_agree s (fun a => A a * h a) u Hu).
Qed.

Definition multipliers (theta : R) : Prop :=
  forall k, Forall (fun k => k <> All) k -> there s k -> theta <= eigen Rs k A.
Lemma above_level theta H : multipliers theta -> gram s H ->
  theta * size <= total s (fun u => total s (fun w => A (agree u w) * H u w)).
Proof.
  intros E g. rewrite by_spaces, <- (trace H g), <- spaces_scal by exact one.
  apply spaces_le; intros k e min. destruct (there_dec k) as [y|n].
  - apply Rmult_le_compat_r; [apply share_pos; assumption | apply E; assumption].
  - rewrite share_none by assumption. lra.
Qed.
Theorem bound theta dims x : multipliers theta -> unit_vectors s dims x ->
  loss s tau terms (by_relation h) + (theta - level Rs tau terms h) / tau <= loss s tau terms (inner dims x).
Proof.
  intros E unit. assert (g := gram_of s dims x unit). set (H := inner dims x) in *.
  apply Rle_trans with (2 := loss_above H). apply Rplus_le_compat_l.
  assert (T := tau_pos _ _ _ _ ok). assert (P := size_pos s one). assert (B := above_level theta H E g).
  rewrite (total_ext s _ (fun u => total s (fun w => A (agree u w) * H u w) - total s (fun w => A (agree u w) * h (agree u w))))
    by (intros; rewrite <- total_minus; apply total_ext; intros; ring).
  rewrite total_minus, at_level. set (X := total s (fun u => total s (fun w => A (agree u w) * H u w))) in *.
  apply Rmult_le_reg_r with (tau * size); [apply Rmult_lt_0_compat; assumption|].
  replace ((theta - level Rs tau terms h) / tau * (tau * size)) with (theta * size - level Rs tau terms h * size) by (field; lra).
  replace ((X - level Rs tau terms h * size) / tau / size * (tau * size)) with (X - level Rs tau terms h * size) by (field; lra).
  lra.
Qed.

(* The loss at inner products by relation, in closed form. *)
Definition value : R :=
  over terms (fun t => weight t * (ln (partition Rs tau h t) - row Rs (fun a => positives t a * (h a / tau)))).
Lemma value_at : loss s tau terms (by_relation h) = value.
Proof.
  assert (P := size_pos s one). unfold loss, value.
  rewrite (total_ext s _ (fun _ => over terms (fun t => weight t * (ln (partition Rs tau h t) - row Rs (fun a => positives t a * (h a / tau)))) * 1)).
  - rewrite total_scal. field. lra.
  - intros u Hu. rewrite Rmult_1_r. apply over_ext; intros t _. unfold anchor_loss. rewrite (partition_at t u Hu).
    rewrite (total_agree s (fun a => positives t a * (h a / tau)) u Hu : total s (fun w => positives t (agree u w) * (by_relation h u w / tau)) = _). reflexivity.
Qed.

Theorem optimal : multipliers (level Rs tau terms h) -> least s tau terms h.
Proof.
  intros E dims x unit. assert (B := bound _ dims x E unit).
  replace (level Rs tau terms h - level Rs tau terms h) with 0 in B by ring. unfold Rdiv in B. lra.
Qed.

(* ---- vectors of a pure structure, and beside it ---- *)
Definition ones := map (fun _ : nat => true) s.
Definition diagonal (ks : list kind) : R := kernel Rs ks ones.
Definition pure (ks : list kind) (a : list bool) : R := kernel Rs ks a / diagonal ks.
Lemma agree_same u : valid s u -> agree u u = ones.
Proof. unfold ones. clear. revert u; induction s; intros [|i u]; simpl; try contradiction; [reflexivity|]. intros [_ Hu]. rewrite Nat.eqb_refl, IHl by exact Hu. reflexivity. Qed.
Lemma there_length k : there s k -> length k = length s.
Proof. clear. revert k; induction s; intros [|k ks]; simpl; try contradiction; [reflexivity|]. intro h0. f_equal. apply IHl. destruct k; tauto. Qed.
Lemma diagonal_pos k : there s k -> 0 < diagonal k.
Proof.
  unfold diagonal, ones. clear ok. revert k one; induction s; intros [|k ks] one' h0; simpl in *; try contradiction; [lra|].
  assert (Pa : 0 < INR a) by (apply lt_0_INR, one'; auto).
  apply Rmult_lt_0_compat; [|apply IHl; [auto | destruct k; tauto]].
  destruct k; simpl; [apply Rinv_0_lt_compat; exact Pa | | lra].
  destruct h0 as [two _]. apply le_INR in two. simpl in two.
  apply Rlt_Rminus. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra.
Qed.
Definition vectors (ks : list kind) (u t : point) : R := sqrt (/ diagonal ks) * kernel Rs ks (agree u t).
Lemma vectors_inner ks u v : there s ks -> valid s u -> valid s v -> inner s (vectors ks) u v = pure ks (agree u v).
Proof.
  intros th Hu Hv. assert (P := diagonal_pos ks th). unfold inner, vectors, pure.
  rewrite (total_ext s _ (fun t => / diagonal ks * (kernel Rs ks (agree u t) * kernel Rs ks (agree t v)))).
  - rewrite total_scal, kernel_twice by (auto using there_length). unfold Rdiv; ring.
  - intros t _. rewrite (agree_sym t v). rewrite <- (sqrt_sqrt (/ diagonal ks)) at 3 by (left; apply Rinv_0_lt_compat; exact P). ring.
Qed.
Lemma pure_one ks u : there s ks -> valid s u -> pure ks (agree u u) = 1.
Proof. intros th Hu. rewrite agree_same by exact Hu. unfold pure. fold (diagonal ks). field. assert (P := diagonal_pos ks th). lra. Qed.

Variable ks : list kind.
Hypothesis h_there : there s ks.
Hypothesis h_pure : forall a, length a = length s -> h a = pure ks a.
Lemma h_at u v : valid s u -> valid s v -> h (agree u v) = pure ks (agree u v).
Proof. intros. apply h_pure, agree_length; assumption. Qed.

Theorem exists_at : attained s h.
Proof.
  exists s, (vectors ks). split.
  - intros u Hu. rewrite vectors_inner, pure_one by assumption. reflexivity.
  - intros u v Hu Hv. rewrite vectors_inner, h_at by assumption. reflexivity.
Qed.

Variable k : list kind.
Hypothesis k_there : there s k.
Definition beside (r : R) (u : point) (t : point) : R :=
  match t with O :: t' => sqrt (1 - r) * vectors ks u t' | _ :: t' => sqrt r * vectors k u t' | [] => 0 end.
Lemma beside_inner r u v : 0 <= r <= 1 -> valid s u -> valid s v ->
  inner (2%nat :: s) (beside r) u v = (1 - r) * h (agree u v) + r * pure k (agree u v).
Proof.
  intros Hr Hu Hv. rewrite h_at, <- !vectors_inner by assumption. unfold inner. simpl. rewrite <- !total_scal, Rplus_0_l.
  f_equal; apply total_ext; intros t _; [rewrite <- (sqrt_sqrt (1 - r)) at 3 by lra | rewrite <- (sqrt_sqrt r) at 3 by lra]; ring.
Qed.

Lemma row_ext r f g : (forall a, f a = g a) -> row r f = row r g.
Proof. clear. revert f g; induction r; simpl; intros f g e; [apply e|]. f_equal; [|f_equal]; apply IHr; intro; apply e. Qed.
Lemma row_scal r c f : row r (fun a => c * f a) = c * row r f.
Proof. clear. revert f; induction r; simpl; intro f; [ring|]. rewrite !IHr. ring. Qed.
Lemma row_kernel r l F : (forall N, In N r -> N <> 0) -> length l = length r -> Forall (fun k => k <> All) l ->
  row r (fun a => F a * kernel r l a) = eigen r l F * kernel r l (map (fun _ => true) r).
Proof.
  clear. revert l F; induction r as [|N r IH]; intros [|k l] F nz e min; simpl in *; try discriminate; [ring|].
  inversion min; subst.
  assert (Q : forall b, row r (fun a => F (b :: a) * (factor k N b * kernel r l a))
    = factor k N b * (eigen r l (fun a => F (b :: a)) * kernel r l (map (fun _ => true) r))).
  { intro b. rewrite <- (IH l (fun a => F (b :: a))) by (auto; congruence). rewrite <- row_scal. apply row_ext; intro; ring. }
  rewrite !Q. assert (N <> 0) by (apply nz; auto). destruct k; simpl; [field | field | congruence]; assumption.
Qed.

Lemma at_beside : Forall (fun k => k <> All) k ->
  total s (fun u => total s (fun w => A (agree u w) * pure k (agree u w))) = eigen Rs k A * size.
Proof.
  intro min. rewrite <- total_scal. apply total_ext; intros u Hu. rewrite Rmult_1_r.
  rewrite (total_agree s (fun a => A a * pure k a) u Hu). assert (P := diagonal_pos k k_there).
  rewrite (row_ext _ _ (fun a => / diagonal k * (A a * kernel Rs k a))) by (intro; unfold pure, Rdiv; ring).
  rewrite row_scal, row_kernel.
  - rewrite map_map. change (kernel Rs k (map (fun _ => true) s)) with (diagonal k). field. lra.
  - intros N h0. apply in_map_iff in h0 as [M [<- h0]]. apply not_0_INR. specialize (one M h0). lia.
  - rewrite map_length. apply there_length. exact k_there.
  - exact min.
Qed.

Notation moved := (fun (r : R) (u w : point) => (1 - r) * h (agree u w) + r * pure k (agree u w)).
Lemma derivative_beside : Forall (fun k => k <> All) k ->
  derivable_pt_lim (fun r => total s (fun u => over terms (anchor_loss s tau (moved r) u))) 0
    ((eigen Rs k A - level Rs tau terms h) * size / tau).
Proof.
  intro min. assert (T := tau_pos _ _ _ _ ok).
  set (d := fun u w => pure k (agree u w) / tau - h (agree u w) / tau).
  replace ((eigen Rs k A - level Rs tau terms h) * size / tau)
    with (total s (fun u => over terms (fun t => weight t * (total s (fun w => denominator t (agree u w) * exp (h (agree u w) / tau) / partition Rs tau h t * d u w)
      - total s (fun w => positives t (agree u w) * d u w))))).
  2: { unfold Rdiv at 3. rewrite Rmult_minus_distr_r, <- at_beside, <- at_level, <- total_minus, Rmult_comm, <- total_scal by exact min.
    apply total_ext; intros u Hu. rewrite <- total_minus, <- total_scal.
    rewrite (over_ext terms _ (fun t => total s (fun w => weight t * ((denominator t (agree u w) * exp (h (agree u w) / tau) / partition Rs tau h t - positives t (agree u w)) * d u w))))
      by (intros; rewrite <- total_minus, <- total_scal; apply total_ext; intros; ring).
    rewrite over_total. apply total_ext; intros w _. unfold gradient, d.
    transitivity ((pure k (agree u w) / tau - h (agree u w) / tau) * over terms (fun t => weight t * (denominator t (agree u w) * exp (h (agree u w) / tau) / partition Rs tau h t - positives t (agree u w)))).
    - rewrite <- over_scal. apply over_ext; intros; ring.
    - unfold Rdiv; ring. }
  apply (total_der s (fun u r => over terms (anchor_loss s tau (moved r) u))). intros u Hu.
  apply (over_der terms (fun t r => anchor_loss s tau (moved r) u t)). intros t Ht. unfold anchor_loss.
  apply (derivable_pt_lim_scal (fun r => ln (total s (fun w => denominator t (agree u w) * exp (moved r u w / tau)))
     - total s (fun w => positives t (agree u w) * (moved r u w / tau)))).
  apply (derivable_pt_lim_minus (fun r => ln (total s (fun w => denominator t (agree u w) * exp (moved r u w / tau))))).
  - apply der_ext with (fun r => ln (total s (fun w => denominator t (agree u w) * exp (h (agree u w) / tau + r * d u w)))).
    + intro r. f_equal. apply total_ext; intros w _. do 2 f_equal. unfold d, Rdiv; ring.
    + assert (Z := partition_at t u Hu). unfold by_relation in Z. assert (PZ := partitions _ _ _ _ ok t Ht).
      assert (L := lse_derivative s (fun w => denominator t (agree u w)) (fun w => h (agree u w) / tau) (d u)).
      cbv beta zeta in L. rewrite Z in L. exact (L PZ).
  - apply der_ext with (fun r => total s (fun w => positives t (agree u w) * (h (agree u w) / tau)) + r * total s (fun w => positives t (agree u w) * d u w)).
    + intro r. rewrite <- total_scal, <- total_plus. apply total_ext; intros w _. unfold d, Rdiv; ring.
    + apply der_affine.
Qed.

Lemma loss_ext H G : (forall u v, valid s u -> valid s v -> H u v = G u v) -> loss s tau terms H = loss s tau terms G.
Proof.
  intro e. unfold loss. f_equal. apply total_ext; intros u Hu. apply over_ext; intros t _. unfold anchor_loss.
  f_equal. f_equal; [f_equal|]; apply total_ext; intros w Hw; rewrite e by assumption; reflexivity.
Qed.

Theorem better : Forall (fun k => k <> All) k -> eigen Rs k A < level Rs tau terms h -> ~ least s tau terms h.
Proof.
  intros min D L. assert (T := tau_pos _ _ _ _ ok). assert (P := size_pos s one).
  set (f := fun r => total s (fun u => over terms (anchor_loss s tau (moved r) u))).
  set (l := (level Rs tau terms h - eigen Rs k A) * size / tau).
  assert (Pl : 0 < l) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
  assert (F : derivable_pt_lim f 0 (- l)).
  { replace (- l) with ((eigen Rs k A - level Rs tau terms h) * size / tau) by (unfold l; field; lra).
    apply derivative_beside. exact min. }
  destruct (F l Pl) as [[e Pe] K]. simpl in K.
  assert (M := Rmin_l (e / 2) (1 / 2)). assert (M' := Rmin_r (e / 2) (1 / 2)).
  assert (M'' : 0 < Rmin (e / 2) (1 / 2)) by (apply Rmin_glb_lt; lra).
  set (r := Rmin (e / 2) (1 / 2)) in *. clearbody r.
  assert (Q : Rabs ((f (0 + r) - f 0) / r - - l) < l) by (apply K; [lra | rewrite Rabs_right; lra]).
  apply Rabs_def2 in Q. rewrite Rplus_0_l in Q. destruct Q as [Q _].
  assert (N : (f r - f 0) / r < 0) by lra.
  apply Rmult_lt_compat_r with (r := r) in N; [|exact M''].
  replace ((f r - f 0) / r * r) with (f r - f 0) in N by (field; lra).
  assert (Hr : 0 <= r <= 1) by lra.
  specialize (L (2%nat :: s) (beside r)).
  rewrite (loss_ext (inner (2%nat :: s) (beside r)) (moved r)) in L by (intros; apply beside_inner; assumption).
  assert (f0 : loss s tau terms (by_relation h) = f 0 / size).
  { rewrite (loss_ext (by_relation h) (moved 0)) by (intros; unfold by_relation; ring). reflexivity. }
  assert (fr : loss s tau terms (moved r) = f r / size) by reflexivity. rewrite f0, fr in L.
  assert (U : unit_vectors s (2%nat :: s) (beside r)).
  { intros u Hu. rewrite beside_inner by assumption. rewrite h_at, !pure_one by assumption. ring. }
  specialize (L U). apply Rmult_le_compat_r with (r := size) in L; [|lra].
  replace (f 0 / size * size) with (f 0) in L by (field; lra).
  replace (f r / size * size) with (f r) in L by (field; lra). lra.
Qed.
End Optimal.
