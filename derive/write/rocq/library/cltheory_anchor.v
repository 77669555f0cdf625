(* Written by cltheory. InfoNCE at one anchor: its gradient is (M - z+)/tau, and what the softmax mean m
   of the negatives is bounded by. *)
From Coq Require Import Reals Lra Lia List Arith.
From Coquelicot Require Import Coquelicot.
Require Import cltheory_loss cltheory_signs cltheory_gram cltheory_optimal cltheory_convex.
Import ListNotations.
Open Scope R_scope.

Lemma dot_sym d u v : dot d u v = dot d v u.
Proof. apply sum_ext; intros; ring. Qed.
Lemma dot_ext d u v w : (forall t, (t < d)%nat -> u t = v t) -> dot d u w = dot d v w.
Proof. intro e. apply sum_ext; intros; rewrite e by assumption; reflexivity. Qed.
Lemma dot_line d a b u v w : dot d (fun t => a * u t + b * v t) w = a * dot d u w + b * dot d v w.
Proof. unfold dot. rewrite <- !sum_scal, <- sum_plus. apply sum_ext; intros; ring. Qed.
Lemma dot_pos d u : 0 <= dot d u u.
Proof. apply (lin_pos (sum_linear d)). intros; apply Rle_0_sqr. Qed.
Lemma dot_combined d N w z v : dot d (combined N w z) v = sum N (fun j => w j * dot d (z j) v).
Proof.
  unfold dot, combined. rewrite (sum_ext d _ (fun t => sum N (fun j => w j * (z j t * v t)))), sum_swap by (intros; rewrite Rmult_comm, <- sum_scal; apply sum_ext; intros; ring).
  apply sum_ext; intros; apply sum_scal.
Qed.
Lemma dot_square d a b u v f : (forall t, f t = a * u t + b * v t) ->
  dot d f f = a ^ 2 * dot d u u + 2 * a * b * dot d u v + b ^ 2 * dot d v v.
Proof. intro e. unfold dot. rewrite <- !sum_scal, <- !sum_plus. apply sum_ext; intros; rewrite e; ring. Qed.
Lemma dot_cauchy d u v : dot d v v = 1 -> dot d u v ^ 2 <= dot d u u.
Proof. intro e. assert (C := lin_cauchy (sum_linear d) u v). fold (dot d u v) (dot d u u) (dot d v v) in C. rewrite e in C. lra. Qed.
Definition sum_pos N := lin_pos (sum_linear N).
Lemma sum_more N f : (1 <= N)%nat -> (forall j, 0 < f j) -> 0 < sum N f.
Proof.
  intros h p. destruct N; [lia|]. simpl. apply Rplus_le_lt_0_compat; [apply sum_pos; intros; left; apply p | apply p].
Qed.

(* A combination is no longer than the largest eigenvalue allows. *)
Lemma rayleigh d N z w s : (1 <= N)%nat -> 0 <= s ->
  (forall v, sum N (fun j => dot d (z j) v ^ 2) / INR N <= s * dot d v v) ->
  dot d (combined N w z) (combined N w z) <= s * (INR N * sum N (fun j => w j ^ 2)).
Proof.
  intros one S0 M. set (C := combined N w z). set (X := dot d C C). set (W := sum N (fun j => w j ^ 2)).
  assert (PN : 0 < INR N) by (apply lt_0_INR; lia). assert (PX : 0 <= X) by apply dot_pos.
  specialize (M C). apply (proj1 (Rle_div_l _ _ _ PN)) in M. fold X in M.
  assert (Q := lin_cauchy (sum_linear N) w (fun j => dot d (z j) C)). cbv beta in Q. rewrite <- dot_combined in Q. fold C X in Q.
  rewrite (sum_ext N (fun j => w j * w j) (fun j => w j ^ 2)), (sum_ext N (fun j => dot d (z j) C * _) (fun j => dot d (z j) C ^ 2)) in Q by (intros; ring).
  fold W in Q. assert (PW : 0 <= W) by (apply sum_pos; intros; apply pow2_ge_0). destruct PX as [PX|<-]; [|repeat apply Rmult_le_pos; lra].
  apply Rmult_le_reg_r with X; [exact PX|]. apply (Rmult_le_compat_l W) in M; [lra | exact PW].
Qed.

Section Anchor.
Variable c : anchored.
Hypothesis ok : unit_anchored c.
Notation d := (coordinates c).
Notation N := (negatives c).
Notation tau := (temperature c).
Notation z := (z_anchor c).
Notation zp := (z_positive c).
Notation zn := (z_negative c).
Notation m := (read_m c).
Notation M := (read_M c).
Notation q := (read_q c).
Notation eps := (read_epsilon c).

Lemma one_more : (1 <= N)%nat. Proof. apply ok. Qed.
Lemma size_pos_ : 0 < INR N. Proof. apply lt_0_INR, one_more. Qed.
Lemma warm : 0 < tau. Proof. apply ok. Qed.
Lemma unit_z : dot d z z = 1. Proof. apply ok. Qed.
Lemma unit_p : dot d zp zp = 1. Proof. apply ok. Qed.
Lemma unit_n j : (j < N)%nat -> dot d (zn j) (zn j) = 1. Proof. apply ok. Qed.
Lemma push_pos : 0 < read_push c.
Proof. apply sum_more; [apply one_more | intros; apply exp_pos]. Qed.
Lemma eps_range : 0 < eps < 1.
Proof.
  assert (P := push_pos). assert (Q := exp_pos (dot d z zp / tau)). fold (power c z zp) in Q. unfold read_epsilon.
  split; [apply Rdiv_lt_0_compat | apply Rlt_div_l]; lra.
Qed.
Lemma q_pos j : 0 <= q j.
Proof. left. apply Rdiv_lt_0_compat; [apply exp_pos | apply push_pos]. Qed.
Lemma q_sum : sum N q = 1.
Proof.
  rewrite (sum_ext N _ (fun j => / read_push c * power c z (zn j))), sum_scal by (intros; apply Rmult_comm). apply Rinv_l, Rgt_not_eq, push_pos.
Qed.

(* The gradient. *)
Lemma gradient_dot_here v : dot d (fun t => (M t - zp t) / tau) v = eps / tau * (dot d m v - dot d zp v).
Proof.
  rewrite (dot_ext d _ (fun t => eps / tau * m t + - (eps / tau) * zp t)) by (intros; unfold read_M, Rdiv; ring).
  rewrite dot_line. ring.
Qed.
Theorem gradient_here : is_gradient c (fun t => (M t - zp t) / tau).
Proof.
  intro v. assert (T := warm). assert (PS := push_pos). assert (P := exp_pos (dot d z zp / tau)).
  set (to := fun k => match k with O => zp | S j => zn j end). set (x := fun (u : vector) k => dot d u (to k) / tau).
  assert (Z : sum (S N) (fun k => 1 * exp (x z k)) = power c z zp + read_push c) by (rewrite sum_first, Rmult_1_l; f_equal; apply sum_ext; intros; apply Rmult_1_l).
  apply der_ext with (fun r => ln (sum (S N) (fun k => 1 * exp (x z k + r * x v k))) - (x z O + r * x v O)).
  - intro r. assert (E : forall k, x z k + r * x v k = dot d (fun t => z t + r * v t) (to k) / tau).
    { intro k. rewrite (dot_ext d (fun t => z t + r * v t) (fun t => 1 * z t + r * v t)) by (intros; ring). rewrite dot_line. unfold x, Rdiv; ring. }
    rewrite sum_first, !Rmult_1_l, (sum_ext N _ (fun j => power c (fun t => z t + r * v t) (zn j))), E by (intros; rewrite Rmult_1_l, E; reflexivity). unfold infonce, power at 2 3. simpl to.
    assert (Q := exp_pos (dot d (fun t => z t + r * v t) zp / tau)). set (B := sum N _). assert (0 <= B) by (apply sum_pos; intros; left; apply exp_pos).
    unfold Rdiv at 3. rewrite ln_mult, ln_Rinv, ln_exp by (try apply Rinv_0_lt_compat; lra). ring.
  - replace (dot _ _ v) with (sum (S N) (fun k => 1 * exp (x z k) / sum (S N) (fun k => 1 * exp (x z k)) * x v k) - x v O).
    + apply (derivable_pt_lim_minus (fun r => ln _) (fun r => x z O + r * x v O)).
      * apply (lse_derivative (sum_linear (S N)) (fun _ => 1)). rewrite Z. unfold power. lra.
      * apply is_derive_Reals. auto_derive; [exact I | ring].
    + rewrite Z, gradient_dot_here, sum_first. unfold read_m. rewrite dot_combined.
      rewrite (sum_ext N _ (fun j => eps / tau * (q j * dot d (zn j) v))), sum_scal by (intros; unfold read_epsilon, read_q, power, x; simpl; rewrite (dot_sym d v); field; unfold power in *; lra).
      unfold read_epsilon, power, x. simpl. rewrite (dot_sym d v). field. lra.
Qed.
Variable g : vector.
Hypothesis gradient_ : is_gradient c g.
Lemma gradient_dot v : dot d g v = eps / tau * (dot d m v - dot d zp v).
Proof. rewrite <- gradient_dot_here. exact (uniqueness_limite _ _ _ _ (gradient_ v) (gradient_here v)). Qed.

Lemma mean_alignment : dot d m zp = (eps + read_rho c - 1) / eps.
Proof. assert (E := eps_range). unfold read_rho, read_M. rewrite dot_line, unit_p. field. lra. Qed.
Lemma mu_square : read_mu c ^ 2 = dot d m m.
Proof. unfold read_mu. simpl. rewrite Rmult_1_r. apply sqrt_sqrt, dot_pos. Qed.
Lemma square : dot d g g = (2 * eps * (1 - read_rho c) - eps ^ 2 * (1 - read_mu c ^ 2)) / tau ^ 2.
Proof.
  assert (E := eps_range). assert (T := warm).
  rewrite gradient_dot, !(dot_sym d _ g), !gradient_dot, (dot_sym d zp m), unit_p, mean_alignment, mu_square. field. lra.
Qed.
Lemma along : dot d g z = eps / tau * (read_similarity c - read_alignment c).
Proof. rewrite gradient_dot, !(dot_sym d _ z). reflexivity. Qed.
Lemma tangential_square : dot d (tangential c g) (tangential c g)
  = (2 * eps * (1 - read_rho c) - eps ^ 2 * (1 - read_mu c ^ 2)) / tau ^ 2 - (eps / tau * (read_similarity c - read_alignment c)) ^ 2.
Proof.
  rewrite <- square, <- along. rewrite (dot_square d 1 (- dot d g z) g z) by (intros; unfold tangential; ring).
  rewrite unit_z. ring.
Qed.

Lemma across_mean t : combined N q (across c) t = 1 * m t + - dot d m zp * zp t.
Proof.
  unfold read_m at 2. rewrite dot_combined. unfold across, read_m, combined.
  rewrite (sum_ext N _ (fun j => q j * zn j t + - zp t * (q j * dot d (zn j) zp))) by (intros; ring).
  rewrite sum_plus, sum_scal. ring.
Qed.

(* How long m is. *)
Lemma spread v : dot d v v = 1 -> sum N (fun j => q j * (dot d v (zn j) - dot d v m) ^ 2) <= 1 - read_mu c ^ 2.
Proof.
  intro e. rewrite mu_square.
  assert (S1 : 1 - dot d m m = sum N (fun j => q j * (dot d (zn j) (zn j) + (- 2 * dot d (zn j) m + dot d m m)))).
  { rewrite (sum_ext N _ (fun j => 1 * q j + (- 2 * (q j * dot d (zn j) m) + dot d m m * q j))) by (intros j h; rewrite unit_n by exact h; ring).
    rewrite !sum_plus, !sum_scal, q_sum, <- dot_combined. fold m. ring. }
  rewrite S1. apply (lin_le (sum_linear N)); intros j h. apply Rmult_le_compat_l; [apply q_pos|].
  assert (C := dot_cauchy d (fun t => 1 * zn j t + - 1 * m t) v e).
  rewrite (dot_square d 1 (-1) (zn j) m) in C by reflexivity. rewrite dot_line in C. rewrite !(dot_sym d v). lra.
Qed.
Lemma by_variance : read_mu c ^ 2 <= 1 - read_softmax_variance c.
Proof. assert (S := spread z unit_z). unfold read_softmax_variance, read_similar, read_similarity. lra. Qed.
Lemma at_most_1 : read_mu c ^ 2 <= 1.
Proof.
  assert (S := spread z unit_z). assert (0 <= sum N (fun j => q j * (dot d z (zn j) - dot d z m) ^ 2)); [|lra].
  apply sum_pos; intros. apply Rmult_le_pos; [apply q_pos | apply pow2_ge_0].
Qed.
Lemma by_alignment : ((eps + read_rho c - 1) / eps) ^ 2 <= read_mu c ^ 2.
Proof. rewrite mu_square, <- mean_alignment. apply dot_cauchy, unit_p. Qed.
Lemma rho_range : 1 - 2 * eps <= read_rho c <= 1.
Proof.
  assert (B := by_alignment). assert (L := at_most_1). assert (E := eps_range).
  set (a := (eps + read_rho c - 1) / eps) in *. replace (read_rho c) with (1 - eps + eps * a) by (unfold a; field; lra). nra.
Qed.
Lemma moment_pos zs s : moment_at_most c zs s -> 0 <= s.
Proof.
  intro h. specialize (h z). rewrite unit_z in h. apply Rle_trans with (2 := Req_le _ _ (Rmult_1_r s)), Rle_trans with (2 := h).
  apply Rmult_le_pos; [apply sum_pos; intros; apply pow2_ge_0 | left; apply Rinv_0_lt_compat, lt_0_INR, one_more].
Qed.
Lemma by_moment s : moment_at_most c zn s -> read_mu c ^ 2 <= s * (INR N * read_participation c).
Proof. intro h. rewrite mu_square. apply rayleigh; [apply one_more | exact (moment_pos _ _ h) | exact h]. Qed.
Lemma by_across s : moment_at_most c (across c) s ->
  read_mu c ^ 2 <= ((eps + read_rho c - 1) / eps) ^ 2 + s * (INR N * read_participation c).
Proof.
  intro h. rewrite mu_square, <- mean_alignment.
  assert (R := rayleigh d N (across c) q s one_more (moment_pos _ _ h) h). fold (read_participation c) in R.
  rewrite (dot_square d 1 (- dot d m zp) m zp) in R by apply across_mean. rewrite unit_p in R. lra.
Qed.
Lemma about_mean f : let a := sum N f / INR N in sum N (fun j => (f j - a) ^ 2) = sum N (fun j => f j ^ 2) - INR N * a ^ 2.
Proof.
  intro a. assert (P := size_pos_). rewrite (sum_ext N _ (fun j => f j ^ 2 + (- 2 * a * f j + a ^ 2))), !sum_plus, sum_scal, sum_const by (intros; ring). unfold a. field. lra.
Qed.
Lemma part_at_most w s : moment_at_most c zn s -> part_of c w <= s * (eps ^ 2 * (INR N * sum N (fun j => w j ^ 2))).
Proof.
  intro h. assert (R := rayleigh d N zn (fun j => eps * w j) s one_more (moment_pos _ _ h) h).
  rewrite (sum_ext N _ (fun j => eps ^ 2 * w j ^ 2)), sum_scal in R by (intros; ring). unfold part_of. lra.
Qed.
Lemma sampling_most s : moment_at_most c zn s -> sampling c <= s * eps ^ 2.
Proof.
  intro h. assert (P := size_pos_). assert (A := part_at_most (fun _ => / INR N) s h). cbv beta in A. rewrite sum_const in A.
  replace (INR N * (INR N * (/ INR N) ^ 2)) with 1 in A by (field; lra). rewrite Rmult_1_r in A. exact A.
Qed.
Lemma fluctuation_most s : moment_at_most c zn s -> fluctuation c <= s * (eps ^ 2 * (INR N * read_participation c - 1)).
Proof.
  intro h. assert (P := size_pos_). assert (A := part_at_most (fun j => q j - / INR N) s h). assert (V := about_mean q).
  rewrite q_sum in V. unfold Rdiv in V. rewrite Rmult_1_l in V. fold (read_participation c) in V. cbv beta zeta in *. rewrite V in A.
  replace (INR N * _) with (INR N * read_participation c - 1) in A by (field; lra). exact A.
Qed.
Lemma linear_most s : moment_at_most c zn s -> linear_part c <= s * (eps ^ 2 * read_variance c / tau ^ 2).
Proof.
  intro h. assert (P := size_pos_). assert (T := warm). set (a := read_mean_similar c).
  assert (A := part_at_most (fun j => (read_similar c j - a) / (INR N * tau)) s h).
  rewrite (sum_ext N _ (fun j => / (INR N * tau) ^ 2 * (read_similar c j - a) ^ 2)), sum_scal in A by (intros; field; lra).
  unfold read_variance. fold a. set (V := sum N (fun j => (_ - _) ^ 2)) in *.
  replace (eps ^ 2 * (V / INR N) / tau ^ 2) with (eps ^ 2 * (INR N * (/ (INR N * tau) ^ 2 * V))) by (field; lra). exact A.
Qed.
Lemma variance_most s : moment_at_most c zn s -> read_variance c <= s.
Proof.
  intro h. assert (P := size_pos_). specialize (h z). rewrite unit_z, Rmult_1_r in h. eapply Rle_trans; [|exact h].
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact P|]. assert (V := about_mean (read_similar c)).
  fold (read_mean_similar c) in V. rewrite (sum_ext N (fun j => dot d (zn j) z ^ 2) (fun j => read_similar c j ^ 2)), V by (intros; unfold read_similar; rewrite dot_sym; reflexivity).
  assert (0 <= INR N * read_mean_similar c ^ 2) by (apply Rmult_le_pos; [lra | apply pow2_ge_0]). lra.
Qed.
Lemma linear_spectrum s : moment_at_most c zn s -> linear_part c <= s * (eps ^ 2 * s / tau ^ 2).
Proof.
  intro h. eapply Rle_trans; [exact (linear_most s h)|]. apply Rmult_le_compat_l; [exact (moment_pos _ _ h)|].
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, pow_lt, warm|]. apply Rmult_le_compat_l; [apply pow2_ge_0 | exact (variance_most s h)].
Qed.
End Anchor.

Lemma some_anchored : exists c, unit_anchored c.
Proof.
  exists {| coordinates := 1; negatives := 1; temperature := 1; z_anchor := fun _ => 1; z_positive := fun _ => 1; z_negative := fun _ _ => 1 |}.
  unfold unit_anchored, dot; simpl. repeat split; try lia; intros; lra.
Qed.
