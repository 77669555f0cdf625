(* Written by cltheory. When one inner product per relation is optimal for a convex loss, and when it
   is not. *)
From Coq Require Import Reals Lra Lia List Arith.
Require Import cltheory_loss cltheory_gram.
Import ListNotations.
Open Scope R_scope.

(* A loss is the mean of [anchor]. It lies above its tangent at h, whose gradient by relation
   is A times a scale; and this is its derivative there. *)
Section Optimal.
Variables (s : list nat) (anchor : matrix -> point -> R) (A h : list bool -> R) (scale : R).
Hypothesis one : forall N, In N s -> (1 <= N)%nat.
Notation Rs := (map INR s).
Notation size := (total s (fun _ => 1)).
Definition mean_loss (H : matrix) : R := total s (anchor H) / size.
Definition level (sizes : list R) (A h : list bool -> R) : R := row sizes (fun a => A a * h a).
Record tangent_to : Prop := {
  scale_pos : 0 < scale;
  on_tangent : forall H u, gram s H -> valid s u ->
    anchor (by_relation h) u + scale * total s (fun w => A (agree u w) * (H u w - h (agree u w))) <= anchor H u }.
Record slope_at : Prop := {
  slope : forall d u, valid s u -> derivable_pt_lim (fun r => anchor (fun u w => h (agree u w) + r * d u w) u) 0
    (scale * total s (fun w => A (agree u w) * d u w));
  same_loss : forall H G u, (forall w, valid s w -> H u w = G u w) -> anchor H u = anchor G u }.
Hypothesis tan : tangent_to.

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

Lemma at_level : total s (fun u => total s (fun w => A (agree u w) * h (agree u w))) = level Rs A h * size.
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
  mean_loss (by_relation h) + scale * (theta - level Rs A h) <= mean_loss (inner dims x).
Proof.
  intros E unit. set (H := inner dims x). assert (B := above_level theta H E (gram_of s dims x unit)).
  assert (C := scale_pos tan). assert (P := size_pos s one).
  assert (S : total s (anchor (by_relation h)) + scale * (theta - level Rs A h) * size <= total s (anchor H)).
  { apply Rle_trans with (total s (fun u => anchor (by_relation h) u + scale * total s (fun w => A (agree u w) * (H u w - h (agree u w))))).
    - rewrite total_plus, total_scal.
      rewrite (total_ext s (fun u => total s (fun w => A (agree u w) * (_ - _))) (fun u => total s (fun w => A (agree u w) * H u w) - total s (fun w => A (agree u w) * h (agree u w))))
        by (intros; rewrite <- total_minus; apply total_ext; intros; ring).
      rewrite total_minus, at_level, Rmult_assoc. apply Rplus_le_compat_l, Rmult_le_compat_l; lra.
    - apply total_le. intros u Hu. exact (on_tangent tan H u (gram_of s dims x unit) Hu). }
  unfold mean_loss. apply Rmult_le_reg_r with size; [exact P|].
  replace ((total s (anchor (by_relation h)) / size + scale * (theta - level Rs A h)) * size)
    with (total s (anchor (by_relation h)) + scale * (theta - level Rs A h) * size) by (field; lra).
  replace (total s (anchor H) / size * size) with (total s (anchor H)) by (field; lra). exact S.
Qed.
Lemma mean_at v : (forall u, valid s u -> anchor (by_relation h) u = v) -> mean_loss (by_relation h) = v.
Proof.
  intro e. assert (P := size_pos s one). unfold mean_loss. rewrite (total_ext s _ (fun _ => v * 1)) by (intros; rewrite e by assumption; ring).
  rewrite total_scal. field. lra.
Qed.
Theorem optimal : multipliers (level Rs A h) -> least s mean_loss h.
Proof.
  intros E dims x unit. assert (B := bound _ dims x E unit).
  replace (scale * (level Rs A h - level Rs A h)) with 0 in B by ring. lra.
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
  unfold diagonal, ones. clear tan. revert k one; induction s; intros [|k ks] one' h0; simpl in *; try contradiction; [lra|].
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

Theorem better : slope_at -> Forall (fun k => k <> All) k -> eigen Rs k A < level Rs A h -> ~ least s mean_loss h.
Proof.
  intros slo min D L. assert (C := scale_pos tan). assert (P := size_pos s one).
  set (d := fun u w => pure k (agree u w) - h (agree u w)).
  set (g := fun r => total s (anchor (fun u w => h (agree u w) + r * d u w))).
  set (l := scale * ((level Rs A h - eigen Rs k A) * size)).
  assert (Pl : 0 < l) by (apply Rmult_lt_0_compat; [|apply Rmult_lt_0_compat]; lra).
  assert (F : derivable_pt_lim g 0 (- l)).
  { replace (- l) with (total s (fun u => scale * total s (fun w => A (agree u w) * d u w))).
    - apply (total_der s (fun u r => anchor (fun u w => h (agree u w) + r * d u w) u)). intros; apply (slope slo); assumption.
    - rewrite total_scal. unfold l. rewrite Ropp_mult_distr_r, Ropp_mult_distr_l. f_equal.
      rewrite Ropp_minus_distr, Rmult_minus_distr_r, <- at_beside, <- at_level, <- total_minus by exact min.
      apply total_ext; intros. rewrite <- total_minus. apply total_ext; intros. unfold d. ring. }
  destruct (F l Pl) as [[e Pe] K]. simpl in K.
  assert (M := Rmin_l (e / 2) (1 / 2)). assert (M' := Rmin_r (e / 2) (1 / 2)).
  assert (M'' : 0 < Rmin (e / 2) (1 / 2)) by (apply Rmin_glb_lt; lra).
  set (r := Rmin (e / 2) (1 / 2)) in *. clearbody r.
  assert (Q : Rabs ((g (0 + r) - g 0) / r - - l) < l) by (apply K; [lra | rewrite Rabs_right; lra]).
  apply Rabs_def2 in Q. rewrite Rplus_0_l in Q. destruct Q as [Q _].
  assert (N : (g r - g 0) / r < 0) by lra.
  apply Rmult_lt_compat_r with (r := r) in N; [|exact M''].
  replace ((g r - g 0) / r * r) with (g r - g 0) in N by (field; lra).
  assert (Hr : 0 <= r <= 1) by lra.
  specialize (L (2%nat :: s) (beside r)). unfold mean_loss in L.
  assert (f0 : total s (anchor (by_relation h)) = g 0).
  { apply total_ext; intros u _. apply (same_loss slo). intros. unfold by_relation. ring. }
  assert (fr : total s (anchor (inner (2%nat :: s) (beside r))) = g r).
  { apply total_ext; intros u Hu. apply (same_loss slo). intros. rewrite beside_inner by assumption. unfold d. ring. }
  rewrite f0, fr in L.
  assert (U : unit_vectors s (2%nat :: s) (beside r)).
  { intros u Hu. rewrite beside_inner by assumption. rewrite h_at, !pure_one by assumption. ring. }
  specialize (L U). apply Rmult_le_compat_r with (r := size) in L; [|lra].
  replace (g 0 / size * size) with (g 0) in L by (field; lra).
  replace (g r / size * size) with (g r) in L by (field; lra). lra.
Qed.
End Optimal.
