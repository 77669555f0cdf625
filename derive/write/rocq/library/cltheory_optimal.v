(* Written by cltheory. When one inner product per relation is optimal for a convex loss, and when it
   is not. *)
From Coq Require Import Reals Lra Lia List Arith.
Require Import cltheory_loss cltheory_gram.
Import ListNotations.
Open Scope R_scope.

(* At x0 a function has the gradient g, and it lies above its tangent; it depends on what is summed. *)
Record convex_at {P} (ok : P -> Prop) (T : (P -> R) -> R) (f : (P -> R) -> R) (g x0 : P -> R) : Prop := {
  above_tangent : forall x, f x0 + T (fun w => g w * (x w - x0 w)) <= f x;
  slope : forall y, derivable_pt_lim (fun r => f (fun w => x0 w + r * y w)) 0 (T (fun w => g w * y w));
  local : forall x y, (forall w, ok w -> x w = y w) -> f x = f y }.
Lemma descent g l : derivable_pt_lim g 0 l -> l < 0 -> exists r, 0 <= r <= 1 /\ g r < g 0.
Proof.
  intros D neg. destruct (D (- l) ltac:(lra)) as [[e Pe] K]. simpl in K.
  assert (A := Rmin_l (e / 2) 1). assert (B := Rmin_r (e / 2) 1). assert (C : 0 < Rmin (e / 2) 1) by (apply Rmin_glb_lt; lra).
  set (r := Rmin (e / 2) 1) in *. clearbody r. exists r. split; [lra|].
  assert (Q : Rabs ((g (0 + r) - g 0) / r - l) < - l) by (apply K; [lra | rewrite Rabs_right; lra]).
  apply Rabs_def2 in Q. rewrite Rplus_0_l in Q. replace (g r) with (g 0 + (g r - g 0) / r * r) by (field; lra). nra.
Qed.

(* Vectors beside others: inner products on the way from those of x to those of y. *)
Definition beside {P} (x y : P -> point -> R) (r : R) (u : P) (t : point) : R :=
  match t with O :: t' => sqrt (1 - r) * x u t' | _ :: t' => sqrt r * y u t' | [] => 0 end.
Lemma beside_inner {P} dims (x y : P -> point -> R) r u v : 0 <= r <= 1 ->
  inner (2%nat :: dims) (beside x y r) u v = inner dims x u v + r * (inner dims y u v - inner dims x u v).
Proof.
  intro Hr. unfold inner. simpl. rewrite <- total_minus, <- total_scal, Rplus_0_l, <- !total_plus. apply total_ext; intros t _.
  transitivity (sqrt (1 - r) * sqrt (1 - r) * (x u t * x v t) + sqrt r * sqrt r * (y u t * y v t)); [ring|].
  rewrite !sqrt_sqrt by lra. ring.
Qed.
(* If the slope towards y is negative, there is less on the way. *)
Lemma less_beside {P} {ok : P -> Prop} {T} (L : linear ok T) F g h dims x y :
  (forall u, ok u -> convex_at ok T (F u) (g u) (h u)) -> (forall u w, ok u -> ok w -> inner dims x u w = h u w) ->
  T (fun u => T (fun w => g u w * (inner dims y u w - h u w))) < 0 ->
  exists r, 0 <= r <= 1 /\ T (fun u => F u (inner (2%nat :: dims) (beside x y r) u)) < T (fun u => F u (h u)).
Proof.
  intros smooth here neg.
  destruct (descent _ _ (lin_der L _ _ _ (fun u Hu => slope _ _ _ _ _ (smooth u Hu) (fun w => inner dims y u w - h u w))) neg) as [r [Hr less]].
  exists r. split; [exact Hr|]. eapply Rle_lt_trans, Rlt_le_trans; [| exact less |]; right; apply (lin_ext L); intros u Hu;
    apply (local _ _ _ _ _ (smooth u Hu)); intros w Hw; [rewrite beside_inner, here by assumption |]; ring.
Qed.

(* The loss is the mean of F over points, and a row of its gradient at h is A by relation, times a
   scale. *)
Section Optimal.
Variables (s : list nat) (F : point -> (point -> R) -> R) (A h : list bool -> R) (scale : R).
Hypothesis one : forall N, In N s -> (1 <= N)%nat.
Notation Rs := (map INR s).
Notation size := (total s (fun _ => 1)).
Definition mean_loss (H : matrix) : R := total s (fun u => F u (H u)) / size.
Definition level (sizes : list R) (A h : list bool -> R) : R := row sizes (fun a => A a * h a).
Definition tangent_to : Prop := 0 < scale /\ forall u x, valid s u -> (forall w, valid s w -> -1 <= x w <= 1) ->
  F u (fun w => h (agree u w)) + total s (fun w => scale * A (agree u w) * (x w - h (agree u w))) <= F u x.
Definition smooth_at : Prop := 0 < scale /\ forall u, valid s u ->
  convex_at (valid s) (total s) (F u) (fun w => scale * A (agree u w)) (fun w => h (agree u w)).
Lemma smooth_tangent : smooth_at -> tangent_to.
Proof. intros [C S]. split; [exact C|]. intros u x Hu _. apply (above_tangent _ _ _ _ _ (S u Hu)). Qed.

Lemma at_row G : total s (fun u => total s (fun w => G (agree u w))) = row Rs G * size.
Proof. rewrite <- total_scal. apply total_ext; intros u Hu. rewrite total_agree by exact Hu. ring. Qed.
Theorem bound theta dims x : tangent_to -> multipliers Rs A theta -> unit_vectors s dims x ->
  mean_loss (by_relation h) + scale * (theta - level Rs A h) <= mean_loss (inner dims x).
Proof.
  intros [C tan] M unit. assert (P := size_pos s one).
  assert (B := above_units (total_linear s) (fun u w => A (agree u w)) (fun _ => theta) dims x (fun f => form_above s A theta f one M) unit).
  rewrite total_const in B. unfold mean_loss. apply Rmult_le_reg_r with size; [exact P|]. set (H := inner dims x) in *. unfold Rdiv.
  rewrite Rmult_plus_distr_r, !Rmult_assoc, Rinv_l, !Rmult_1_r by lra.
  eapply Rle_trans; [|apply total_le; intros u Hu; apply (tan u (H u) Hu); intros; apply inner_range; apply unit; assumption].
  rewrite total_plus. apply Rplus_le_compat_l.
  rewrite (total_ext s (fun u => total s _) (fun u => scale * (total s (fun w => A (agree u w) * H u w) - total s (fun w => A (agree u w) * h (agree u w)))))
    by (intros; rewrite <- total_minus, <- total_scal; apply total_ext; intros; ring).
  rewrite total_scal, total_minus, (at_row (fun a => A a * h a)). fold (level Rs A h). apply Rmult_le_compat_l; lra.
Qed.
Lemma mean_at v : (forall u, valid s u -> F u (fun w => h (agree u w)) = v) -> mean_loss (by_relation h) = v.
Proof.
  intro e. assert (P := size_pos s one). unfold mean_loss, by_relation.
  rewrite (total_ext s _ (fun _ => v) e), total_const. field. lra.
Qed.
Theorem optimal : tangent_to -> multipliers Rs A (level Rs A h) -> least s mean_loss h.
Proof. intros tan E dims x unit. assert (B := bound _ dims x tan E unit). lra. Qed.

(* ---- vectors of a pure structure: the simplex along an axis, one point, or a basis ---- *)
Definition off (k : kind) (N : R) : R := match k with Mean => 1 | Contrast => - / (N - 1) | All => 0 end.
Fixpoint pure (sizes : list R) (ks : list kind) (a : list bool) : R :=
  match sizes, ks, a with N :: r, k :: l, b :: c => (if b then 1 else off k N) * pure r l c | _, _, _ => 1 end.
Fixpoint there (sizes : list R) (ks : list kind) : Prop :=         (* an eigenspace with a dimension *)
  match sizes, ks with
  | [], [] => True
  | N :: r, k :: l => match k with Contrast => 2 <= N | _ => 0 < N end /\ there r l
  | _, _ => False end.
Fixpoint gain (sizes : list R) (ks : list kind) : R :=
  match sizes, ks with
  | N :: r, k :: l => match k with Mean => N | Contrast => N / (N - 1) | All => 1 end * gain r l
  | _, _ => 1 end.
Lemma gain_pos r ks : there r ks -> 0 < gain r ks.
Proof.
  clear. revert ks; induction r; intros [|k ks] th; simpl in *; try contradiction; [lra|]. destruct th as [N th].
  apply Rmult_lt_0_compat; [destruct k; try apply Rdiv_lt_0_compat; lra | apply IHr, th].
Qed.
Lemma pure_one r ks u : pure r ks (agree u u) = 1.
Proof. clear. revert r ks; induction u; intros [|N r] [|k ks]; simpl; try reflexivity. rewrite Nat.eqb_refl, IHu. ring. Qed.
Lemma pure_twice ks u v : there Rs ks -> valid s u -> valid s v ->
  total s (fun w => pure Rs ks (agree u w) * pure Rs ks (agree v w)) = gain Rs ks * pure Rs ks (agree u v).
Proof.
  clear. revert ks u v; induction s as [|N r IH]; intros [|k ks] [|i u] [|j v]; simpl; try contradiction; try (intros; ring).
  intros [two th] [Hi Hu] [Hj Hv]. set (f := off k (INR N)). set (c := gain (map INR r) ks * pure (map INR r) ks (agree u v)).
  transitivity (sum N (fun x => (if Nat.eqb i x then 1 else f) * ((if Nat.eqb j x then 1 else f) * c))).
  - apply sum_ext; intros x _. unfold c. rewrite <- IH, <- !total_scal by assumption. apply total_ext; intros; ring.
  - rewrite sum_agree, (sum_agree N j 1 f (fun _ => c)), sum_const, (Nat.eqb_sym j i) by assumption. unfold c, f.
    destruct (Nat.eqb i j), k; simpl; field; lra.
Qed.
Lemma row_ext r f g : (forall a, length a = length r -> f a = g a) -> row r f = row r g.
Proof. clear. revert f g; induction r; simpl; intros f g e; [apply e, eq_refl|]. f_equal; [|f_equal]; apply IHr; intros a_ l; apply e; simpl; rewrite l; reflexivity. Qed.
Lemma row_line r c f g : row r f + c * row r g = row r (fun a => f a + c * g a).
Proof. clear. revert f g; induction r; simpl; intros f g; [ring|]. rewrite <- !IHr. ring. Qed.
Lemma row_pure r ks G : there r ks -> row r (fun a => G a * pure r ks a) = eigen r ks G.
Proof.
  clear. revert ks G; induction r as [|N r IH]; intros [|k ks] G; simpl; try contradiction; [intros; ring|]. intros [two th].
  rewrite row_line, <- IH by exact th. apply row_ext; intros. unfold split_off. destruct k; simpl; field; lra.
Qed.
Definition vectors (ks : list kind) (u t : point) : R := sqrt (/ gain Rs ks) * pure Rs ks (agree u t).
Lemma vectors_inner ks u v : there Rs ks -> valid s u -> valid s v -> inner s (vectors ks) u v = pure Rs ks (agree u v).
Proof.
  intros th Hu Hv. assert (P := Rinv_0_lt_compat _ (gain_pos Rs ks th)). unfold inner, vectors.
  rewrite (total_ext s _ (fun t => / gain Rs ks * (pure Rs ks (agree u t) * pure Rs ks (agree v t)))).
  - rewrite total_scal, pure_twice by assumption. field. assert (Q := gain_pos Rs ks th). lra.
  - intros t _. rewrite <- (sqrt_sqrt (/ gain Rs ks)) at 3 by lra. ring.
Qed.

Variable ks : list kind.
Hypothesis h_there : there Rs ks.
Hypothesis h_pure : forall a, length a = length s -> h a = pure Rs ks a.
Lemma h_at u v : valid s u -> valid s v -> inner s (vectors ks) u v = h (agree u v).
Proof. intros. rewrite vectors_inner, h_pure; auto. apply agree_length; assumption. Qed.
Lemma h_one u : valid s u -> h (agree u u) = 1.
Proof. intro Hu. rewrite <- h_at, vectors_inner by assumption. apply pure_one. Qed.
Theorem exists_at : attained s h.
Proof. exists s, (vectors ks). split; [intros u Hu; rewrite h_at by exact Hu; apply h_one, Hu | exact h_at]. Qed.

(* Towards another structure, which is an eigenspace of the gradient, the loss has this derivative. *)
Theorem needed k : smooth_at -> there Rs k -> least s mean_loss h -> level Rs A h <= eigen Rs k A.
Proof.
  intros [C smooth] th least_. apply Rnot_lt_le; intro D. assert (P := size_pos s one). assert (L := total_linear s).
  destruct (less_beside L F (fun u w => scale * A (agree u w)) (fun u w => h (agree u w)) s (vectors ks) (vectors k) smooth h_at) as [r [Hr less]].
  - rewrite (total_ext s _ (fun u => scale * (total s (fun w => A (agree u w) * pure Rs k (agree u w)) - total s (fun w => A (agree u w) * h (agree u w))))).
    + rewrite total_scal, total_minus, (at_row (fun a => A a * pure Rs k a)), (at_row (fun a => A a * h a)), (row_pure Rs k A th). fold (level Rs A h).
      assert (0 < scale * ((level Rs A h - eigen Rs k A) * size)) by (repeat apply Rmult_lt_0_compat; lra). lra.
    + intros u Hu. rewrite <- total_minus, <- total_scal. apply total_ext; intros w Hw. rewrite vectors_inner by assumption. ring.
  - apply (Rlt_not_le _ _ less). assert (B := least_ (2%nat :: s) (beside (vectors ks) (vectors k) r)). unfold mean_loss in B.
    apply (Rmult_le_reg_r (/ size)); [apply Rinv_0_lt_compat, P|]. apply B. intros u Hu.
    rewrite beside_inner, h_at, h_one, vectors_inner, pure_one by assumption. ring.
Qed.
End Optimal.

(* Between two pure structures whose eigenvalues agree. *)
Theorem between_structures s F A scale ks k r g : (forall N, In N s -> (1 <= N)%nat) -> there (map INR s) ks -> there (map INR s) k -> 0 <= r <= 1 ->
  (forall a, length a = length s -> g a = pure (map INR s) ks a + r * (pure (map INR s) k a - pure (map INR s) ks a)) ->
  tangent_to s F A g scale -> eigen (map INR s) k A = eigen (map INR s) ks A -> multipliers (map INR s) A (eigen (map INR s) ks A) ->
  attained s g /\ least s (mean_loss s F) g.
Proof.
  intros one th th' Hr e tan same M. split.
  - exists (2%nat :: s), (beside (vectors s ks) (vectors s k) r).
    assert (at_ : forall u v, valid s u -> valid s v -> inner (2%nat :: s) (beside (vectors s ks) (vectors s k) r) u v = g (agree u v)).
    { intros u v Hu Hv. rewrite e, beside_inner, !vectors_inner by (assumption || apply agree_length; assumption). reflexivity. }
    split; [|exact at_]. intros u Hu. rewrite at_, e, !pure_one by (assumption || apply agree_length; assumption). ring.
  - apply (optimal s F A g scale one tan). replace (level (map INR s) A g) with (eigen (map INR s) ks A); [exact M|].
    transitivity (row (map INR s) (fun a => A a * pure (map INR s) ks a) + r * (row (map INR s) (fun a => A a * pure (map INR s) k a) + (-1) * row (map INR s) (fun a => A a * pure (map INR s) ks a))).
    + rewrite !row_pure, same by assumption. ring.
    + rewrite !row_line. apply row_ext; intros a l. rewrite e by (rewrite map_length in l; exact l). ring.
Qed.
