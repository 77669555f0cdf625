(* Written by cltheory. All classes but the first share one vector, opposite to that of the first: when
   that is optimal, for any number of classes of any sizes. *)
From Coq Require Import Reals Lra Lia List Arith.
Require Import cltheory_loss cltheory_signs cltheory_gram cltheory_optimal cltheory_convex cltheory_kinds.
Import ListNotations.
Open Scope R_scope.

(* ---- sums over the points of all classes ---- *)
Notation classes := (map (fun s => [s])).
Fixpoint by_class (s : list nat) (g : nat -> R) : R :=
  match s with [] => 0 | N :: r => INR N * g O + by_class r (fun k => g (S k)) end.
Lemma class_total s g : total_of (classes s) (fun u => g (fst u)) = by_class s g.
Proof.
  revert g; induction s as [|N s IH]; intro g; [reflexivity|]. simpl by_class. rewrite <- (IH (fun k => g (S k))).
  unfold total_of. simpl length. rewrite sum_first. simpl. rewrite sum_const. reflexivity.
Qed.
Lemma by_class_scal s c g : by_class s (fun k => c * g k) = c * by_class s g.
Proof. rewrite <- !class_total. apply (lin_scal (all_linear _)). Qed.
Lemma by_class_const s c : by_class s (fun _ => c) = INR (list_sum s) * c.
Proof. induction s as [|N s IH]; simpl; [ring|]. rewrite IH, plus_INR. ring. Qed.
(* How two points may be related. *)
Lemma related s u w : belongs (classes s) u -> belongs (classes s) w ->
  (fst u = fst w /\ (between_members u w = (fst u, fst u, [true]) \/ between_members u w = (fst u, fst u, [false])))
  \/ (fst u <> fst w /\ between_members u w = (fst u, fst w, [])).
Proof.
  assert (V : forall v, belongs (classes s) v -> exists a, snd v = [a]).
  { intros v [Hk Hv]. rewrite map_length in Hk. rewrite (nth_indep _ [] [O]), (map_nth (fun s => [s])) in Hv by (rewrite map_length; exact Hk).
    destruct (snd v) as [|a [|]]; simpl in Hv; try tauto. exists a; reflexivity. }
  intros U W. destruct (V u U) as [a A], (V w W) as [b B]. unfold between_members. rewrite A, B. destruct (Nat.eqb_spec (fst u) (fst w)) as [<-|ne]; [left | right; auto].
  split; [reflexivity|]. simpl. destruct (Nat.eqb a b); auto.
Qed.
(* A row of what is 0 for a point and itself, and otherwise depends on the class only. *)
Lemma class_row s F f u : belongs (classes s) u -> (forall j, F (fst u, j, []) = f j) -> F (fst u, fst u, [true]) = 0 -> F (fst u, fst u, [false]) = f (fst u) ->
  total_of (classes s) (fun w => F (between_members u w)) = by_class s f - f (fst u).
Proof.
  intros [Hi Hu] E Z N. rewrite (row_of_at _ F u (conj Hi Hu)), <- class_total. unfold row_of, total_of. rewrite map_length. set (i := fst u) in *.
  rewrite <- (sum_pick (length (classes s)) i (fun _ => f i)), <- (lin_minus (sum_linear _)) by exact Hi. apply sum_ext; intros j Hj.
  rewrite at_kind, (nth_indep _ [] [O]), (map_nth (fun s => [s])) by (rewrite map_length in Hj; rewrite ?map_length; exact Hj). unfold card. simpl.
  rewrite sum_const. destruct (Nat.eqb_spec i j) as [<-|ne]; [rewrite Z, N | rewrite E]; ring.
Qed.

(* What presses the others together, less what keeps them apart, of l points and r others. *)
Definition force_of (l r tau : R) : R := (exp (- 1 / tau) / ((l - 1) * exp (1 / tau) + r * exp (- 1 / tau)) + exp (- 1 / tau) / ((r - 1) * exp (1 / tau) + l * exp (- 1 / tau))) / 2.
Definition apart_of (l r tau : R) : R := exp (1 / tau) / ((r - 1) * exp (1 / tau) + l * exp (- 1 / tau)).
Lemma rest_four l rest : (forall s, In s (l :: rest) -> (2 <= s)%nat) -> (2 <= length rest)%nat -> 4 <= INR (list_sum rest).
Proof.
  intros two many. destruct rest as [|s [|s' q]]; [simpl in many; lia.. |]. assert (A := two s ltac:(simpl; auto)). assert (B := two s' ltac:(simpl; auto)).
  replace 4 with (INR 4) by (simpl; ring). apply le_INR. simpl. lia.
Qed.

Section Merging.
Variables (l : nat) (rest : list nat) (tau : R) (t : member_term) (h : relation -> R).
Notation sizes := (l :: rest).
Notation kinds := (classes sizes).
Notation T := (total_of kinds).
Notation sz i := (INR (nth i sizes O)).
Notation L := (INR l).
Notation r := (INR (list_sum rest)).
Hypothesis two : forall s, In s sizes -> (2 <= s)%nat.
Hypothesis many : (2 <= length rest)%nat.
Hypothesis tau_pos : 0 < tau.
Hypothesis weighs : weight t = 1.
Hypothesis denominators : forall q, 0 <= denominator t q.
Hypothesis denominator_of : forall i j, denominator t (i, i, [true]) = 0 /\ denominator t (i, i, [false]) = 1 /\ denominator t (i, j, []) = 1.
Hypothesis positives_of : forall i j, positives t (i, i, [true]) = 0 /\ positives t (i, i, [false]) = / (sz i - 1) /\ positives t (i, j, []) = 0.
Hypothesis inner_of : forall i j a, h (i, j, a) = match i, j with O, O | S _, S _ => 1 | _, _ => -1 end.
Notation e1 := (exp (1 / tau)).
Notation e2 := (exp (- 1 / tau)).
Notation Z0 := ((L - 1) * e1 + r * e2).
Notation Z1 := ((r - 1) * e1 + L * e2).
Notation force := (force_of L r tau).
Notation apart := (apart_of L r tau).

Lemma parts : 2 <= L /\ 4 <= r /\ 0 < e1 /\ 0 < e2 /\ 0 < Z0 /\ 0 < Z1.
Proof.
  assert (P := exp_pos (1 / tau)). assert (Q := exp_pos (- 1 / tau)). assert (H := le_INR 2 l (two l (or_introl eq_refl))). assert (K := rest_four l rest two many).
  repeat split; try assumption; simpl in H; nra.
Qed.

(* ---- the gradient at the inner products ---- *)
Notation h_ u w := (h (between_members u w)).
Definition part (u : member) : R := match fst u with O => Z0 | S _ => Z1 end.
Lemma part_at u : belongs kinds u -> T (fun w => denominator t (between_members u w) * exp (h_ u w / tau)) = part u.
Proof.
  destruct u as [i u]. intro Hu. rewrite (class_row sizes (fun q => denominator t q * exp (h q / tau)) (fun j => match i, j with O, O | S _, S _ => e1 | _, _ => e2 end) _ Hu); simpl fst.
  - unfold part. destruct i; simpl; rewrite by_class_const; ring.
  - intro j. destruct (denominator_of i j) as [_ [_ ->]]. rewrite inner_of. destruct i, j; ring.
  - destruct (denominator_of i i) as [-> _]. ring.
  - destruct (denominator_of i i) as [_ [-> _]]. rewrite inner_of. destruct i; ring.
Qed.
Definition A (u w : member) : R := denominator t (between_members u w) * exp (h_ u w / tau) / part u - positives t (between_members u w).
Lemma smooth u : belongs kinds u -> convex_at (belongs kinds) T (fun x => over [t] (softmax T between_members tau (fun _ => x) u)) (fun w => / tau * A u w) (fun w => h_ u w).
Proof.
  intro Hu. refine (soft_convex (all_linear kinds) (over_linear [t]) tau weight (fun t w => denominator t (between_members u w))
    (fun t w => positives t (between_members u w)) _ _ _ (lin_over (all_linear kinds) [t]) _ _ _); try reflexivity.
  - intros q [<-|[]]. rewrite part_at, weighs by exact Hu. repeat split; [lra | intros; apply denominators |].
    unfold part. destruct (fst u); apply parts.
  - intros w _. cbn [over]. rewrite part_at, weighs by exact Hu. unfold A. ring.
Qed.
(* What its entries are, but for what is said of a point and itself or of others of its class. *)
Definition B (u w : member) : R := match fst u, fst w with O, O => e1 / Z0 | O, S _ => e2 / Z0 | S _, O => e2 / Z1 | S _, S _ => e1 / Z1 end.
Lemma entry u w : belongs kinds u -> belongs kinds w ->
  (fst u = fst w /\ (A u w = 0 \/ A u w = B u w - / (sz (fst u) - 1))) \/ (fst u <> fst w /\ A u w = B u w).
Proof.
  intros U W. unfold A, B, part. destruct (related sizes u w U W) as [[e [E|E]]|[ne E]]; rewrite E, inner_of; [left|left|right]; (split; [assumption|]).
  - left. destruct (denominator_of (fst u) (fst u)) as [-> _], (positives_of (fst u) (fst u)) as [-> _]. unfold Rdiv; ring.
  - right. destruct (denominator_of (fst u) (fst u)) as [_ [-> _]], (positives_of (fst u) (fst u)) as [_ [-> _]]. rewrite <- e. unfold Rdiv; destruct (fst u); ring.
  - destruct (denominator_of (fst u) (fst w)) as [_ [_ ->]], (positives_of (fst u) (fst w)) as [_ [_ ->]]. unfold Rdiv; destruct (fst u), (fst w); ring.
Qed.
Notation side u := (match fst u with O => 1 | S _ => -1 end).
Lemma h_sides u w : h_ u w = side u * side w.
Proof. unfold between_members. rewrite inner_of. destruct (fst u), (fst w); ring. Qed.

(* ---- where it is optimal ---- *)
Theorem together dims x : 0 <= L * force - r * apart -> unit_members kinds dims x ->
  0 <= T (fun u => T (fun w => / tau * A u w * (inner dims x u w - h_ u w))).
Proof.
  intros Y unit. destruct parts as [L2 [R4 [P [Q [P0 P1]]]]]. assert (lin := all_linear kinds). set (K := fun u w => inner dims x u w - h_ u w).
  assert (sym : forall u w, K u w = K w u) by (intros; unfold K; rewrite !h_sides; f_equal; [apply total_ext; intros|]; ring).
  set (g := fun u : member => match fst u with O => r | S _ => L end). set (c := force / (r * L)).
  assert (Sq : 0 <= T (fun u => T (fun w => g u * g w * K u w))).
  { rewrite (lin_ext lin _ (fun u => T (fun w => g u * g w * inner dims x u w) - T (fun w => g u * side u * (g w * side w)))).
    - rewrite (lin_minus lin), (lin_product lin). assert (S := square_above lin g dims x unit).
      replace (T (fun u => g u * side u)) with 0; [lra|]. symmetry. eapply eq_trans; [exact (class_total sizes (fun i => (match i with O => r | _ => L end) * match i with O => 1 | _ => -1 end))|].
      simpl. rewrite by_class_const. ring.
    - intros u _. rewrite <- (lin_minus lin). apply (lin_ext lin). intros w _. unfold K. rewrite h_sides. ring. }
  assert (half : T (fun u => T (fun w => A u w * K u w)) = T (fun u => T (fun w => (A u w + A w u) / 2 * K u w))).
  { rewrite (lin_ext lin (fun u => T (fun w => _ / 2 * _)) (fun u => / 2 * (T (fun w => A u w * K u w) + T (fun w => A w u * K w u)))).
    - rewrite (lin_scal lin), (lin_plus lin), (all_swap lin kinds (fun w u => A w u * K w u)). lra.
    - intros u _. rewrite <- (lin_plus lin), <- (lin_scal lin). apply (lin_ext lin). intros w _. rewrite (sym w u). field. }
  rewrite (lin_ext lin _ (fun u => / tau * T (fun w => A u w * K u w))) by (intros; rewrite <- (lin_scal lin); apply (lin_ext lin); intros; unfold K; ring).
  rewrite (lin_scal lin), half. apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, tau_pos|].
  assert (F : 0 < force) by (unfold force_of; assert (H := Rdiv_lt_0_compat _ _ Q P0); assert (H' := Rdiv_lt_0_compat _ _ Q P1); lra).
  assert (C : 0 < c) by (apply Rdiv_lt_0_compat; nra).
  apply Rle_trans with (c * T (fun u => T (fun w => g u * g w * K u w))); [apply Rmult_le_pos; lra|].
  rewrite <- (lin_scal lin). apply (lin_le lin). intros u Hu. rewrite <- (lin_scal lin). apply (lin_le lin). intros w Hw.
  assert (ahead : e1 / Z1 <= c * (L * L)) by (unfold c; fold (apart_of L r tau); apply Rmult_le_reg_l with r; [lra|]; replace (r * (force / (r * L) * (L * L))) with (L * force) by (field; lra); lra).
  assert (first : e1 / Z0 - / (L - 1) <= 0).
  { replace (_ - _) with (- (r * e2 / (Z0 * (L - 1)))) by (field; lra). assert (0 < r * e2 / (Z0 * (L - 1))) by (apply Rdiv_lt_0_compat; nra). lra. }
  assert (near : forall u w, belongs kinds u -> belongs kinds w -> side u * side w = 1 -> A u w <= c * (g u * g w)).
  { clear u w Hu Hw. intros u w U W s. assert (pos : 0 <= c * (g u * g w)) by (apply Rmult_le_pos; [lra|]; unfold g; destruct (fst u), (fst w); apply Rmult_le_pos; lra).
    assert (I : (fst u < length sizes)%nat) by (destruct U as [U _]; rewrite map_length in U; exact U).
    assert (S : 0 < / (sz (fst u) - 1)) by (apply Rinv_0_lt_compat; assert (H := le_INR _ _ (two _ (nth_In sizes O I))); simpl in *; lra).
    unfold B, g in *. destruct (entry u w U W) as [[e [-> | ->]]|[ne ->]]; [exact pos | unfold B; rewrite <- e in * |  unfold B]; destruct (fst u), (fst w); simpl in *; lra || congruence. }
  assert (small : side u * side w = 1 -> K u w <= 0) by (intro s; unfold K; rewrite h_sides, s; assert (R := inner_range dims x u w (unit u Hu) (unit w Hw)); lra).
  destruct (Req_dec (side u * side w) 1) as [s|s].
  - assert (N := near u w Hu Hw s). rewrite Rmult_comm in s. assert (N' := near w u Hw Hu s). rewrite Rmult_comm in s. specialize (small s). nra.
  - right. destruct (entry u w Hu Hw) as [[e _]|[ne ->]], (entry w u Hw Hu) as [[e' _]|[ne' ->]]; try congruence; [exfalso; apply s; rewrite e; destruct (fst w); ring|].
    unfold B, g, c, force_of. destruct (fst u), (fst w); try (exfalso; apply s; ring); field; lra.
Qed.
(* ---- where it is not: two of the others are turned by small angles, in opposite directions ---- *)
(* The form of B on what depends on the class only. *)
Lemma class_form p : let W := by_class rest (fun k => p (S k)) in
  T (fun u => T (fun w => B u w * (p (fst u) * p (fst w)))) = e1 / Z0 * (L * p O * (L * p O)) + 2 * force * (L * p O) * W + apart * (W * W).
Proof.
  intro W. set (b := fun i j => match i, j with O, O => e1 / Z0 | O, S _ => e2 / Z0 | S _, O => e2 / Z1 | S _, S _ => e1 / Z1 end).
  rewrite (lin_ext (all_linear kinds) _ (fun u => match fst u with O => e1 / Z0 * (L * p O) + e2 / Z0 * W | S _ => e2 / Z1 * (L * p O) + e1 / Z1 * W end * p (fst u))).
  - eapply eq_trans; [exact (class_total sizes (fun i => match i with O => e1 / Z0 * (L * p O) + e2 / Z0 * W | S _ => e2 / Z1 * (L * p O) + e1 / Z1 * W end * p i))|].
    simpl. rewrite by_class_scal. fold W. unfold force_of, apart_of. field. destruct parts as [_ [_ [_ [_ [P0 P1]]]]]. lra.
  - intros u _. eapply eq_trans; [exact (class_total sizes (fun j => b (fst u) j * (p (fst u) * p j)))|].
    unfold b. destruct (fst u); simpl; rewrite !by_class_scal; unfold W; ring.
Qed.
Theorem separated : L * force - r * apart < 0 -> exists dims x, unit_members kinds dims x /\
  loss_of_kinds kinds tau [t] (inner dims x) < loss_of_kinds kinds tau [t] (fun u w => h_ u w).
Proof.
  intro neg. destruct parts as [L2 [R4 [P [Q [P0 P1]]]]]. assert (lin := all_linear kinds).
  assert (G : 0 < apart) by (apply Rdiv_lt_0_compat; assumption).
  set (eta := - 2 * (L * force - r * apart) / apart). assert (E0 : 0 < eta) by (apply Rdiv_lt_0_compat; lra).
  set (dl := Rmin 1 eta / 2). assert (D1 := Rmin_l 1 eta). assert (D2 := Rmin_r 1 eta). assert (D0 : 0 < Rmin 1 eta) by (apply Rmin_glb_lt; lra).
  assert (turned : forall s, 2 <= s -> exists a d, a * a + d * d = 1 /\ s * d = dl /\ 0 < s * (1 - a) < eta / 2).
  { intros s Hs. set (d := dl / s). assert (d0 : 0 < d) by (apply Rdiv_lt_0_compat; unfold dl; lra). assert (sd : s * d = dl) by (unfold d; field; lra).
    assert (d1 : d <= 1 / 4) by (unfold dl in sd; nra). exists (sqrt (1 - d * d)), d.
    assert (A0 := sqrt_pos (1 - d * d)). assert (A1 := sqrt_sqrt (1 - d * d) ltac:(nra)). set (a := sqrt (1 - d * d)) in *.
    assert (A2 : a < 1) by nra. assert (A3 : 1 - a <= d * d) by nra. repeat split; [lra | exact sd | nra |].
    apply Rle_lt_trans with (dl * d); [rewrite <- sd; nra | unfold dl in *; nra]. }
  destruct (turned (sz 1)) as [a1 [d1 [u1 [s1 e_1]]]]; [apply (le_INR 2), two, nth_In; simpl; lia|].
  destruct (turned (sz 2)) as [a2 [d2 [u2 [s2 e_2]]]]; [apply (le_INR 2), two, nth_In; simpl; lia|].
  set (v := fun j => match j with O => 1 | 1%nat => - a1 | 2%nat => - a2 | _ => -1 end). set (w := fun j => match j with 1%nat => d1 | 2%nat => - d2 | _ => 0 end).
  set (ep := sz 1 * (1 - a1) + sz 2 * (1 - a2)).
  assert (unit : forall j, v j * v j + w j * w j = 1) by (intro j; unfold v, w; destruct j as [|[|[|j]]]; lra).
  assert (sums : by_class rest (fun k => v (S k)) = ep - r /\ by_class rest (fun k => w (S k)) = 0 /\ by_class rest (fun _ => -1) = - r).
  { rewrite by_class_const. unfold ep. clear - many s1 s2. destruct rest as [|N1 [|N2 q]]; simpl in many; try lia. simpl in *. rewrite !by_class_const, !plus_INR. fold (list_sum q). repeat split; lra. }
  destruct sums as [Wv [Ww Ws]].
  destruct (less_beside lin (fun u x => over [t] (softmax T between_members tau (fun _ => x) u)) (fun u w => / tau * A u w) (fun u w => h_ u w) [2%nat]
    (fun u c => match c with [O] => side u | _ => 0 end) (fun u c => match c with [O] => v (fst u) | _ => w (fst u) end) smooth) as [p [Hp less]].
  - intros u x _ _. rewrite h_sides. unfold inner. simpl. ring.
  - set (g := fun j => match j with O => 1 | S _ => -1 end).
    rewrite (lin_ext lin _ (fun u => / tau * (T (fun x => B u x * (v (fst u) * v (fst x)))
      + (T (fun x => B u x * (w (fst u) * w (fst x))) - T (fun x => B u x * (g (fst u) * g (fst x))))))).
    + rewrite (lin_scal lin), (lin_plus lin), (lin_minus lin), !class_form, Wv, Ww. simpl. rewrite Ws.
      assert (Ee : apart * eta = - 2 * (L * force - r * apart)) by (unfold eta; field; lra). assert (Ep : 0 < ep < eta) by (unfold ep; lra).
      assert (H : 0 < / tau * (ep * (apart * eta - apart * ep))) by (rewrite <- Rmult_minus_distr_l; repeat apply Rmult_lt_0_compat; try apply Rinv_0_lt_compat; lra).
      rewrite Ee in H. eapply Rle_lt_trans; [right | apply Ropp_lt_cancel; rewrite Ropp_0, Ropp_involutive; exact H]. ring.
    + intros u Hu. rewrite <- (lin_minus lin), <- (lin_plus lin), <- (lin_scal lin). apply (lin_ext lin). intros x Hx.
      rewrite h_sides. fold (g (fst u)) (g (fst x)). unfold inner. simpl.
      destruct (entry u x Hu Hx) as [[e _]|[_ ->]]; [|ring]. rewrite <- e, (Rplus_0_l (v _ * _)), unit. 
      replace (v (fst u) * v (fst u)) with (1 - w (fst u) * w (fst u)) by (rewrite <- (unit (fst u)); ring). unfold g. destruct (fst u); ring.
  - eexists _, _. split; [|unfold loss_of_kinds, Rdiv; apply Rmult_lt_compat_r; [|exact less]].
    + intros u _. rewrite beside_inner by exact Hp. assert (I := unit (fst u)). unfold inner. simpl.
      replace (0 + v (fst u) * v (fst u) + w (fst u) * w (fst u)) with 1 by lra. destruct (fst u); ring.
    + rewrite (class_total sizes (fun _ => 1)). simpl. rewrite by_class_const. apply Rinv_0_lt_compat. lra.
Qed.
Theorem merged : (exists dims x, unit_members kinds dims x /\ forall u v, inner dims x u v = h_ u v) /\
  (0 <= L * force - r * apart <-> forall dims x, unit_members kinds dims x ->
    loss_of_kinds kinds tau [t] (fun u w => h_ u w) <= loss_of_kinds kinds tau [t] (inner dims x)).
Proof.
  split; [|split].
  - exists [1%nat], (fun u _ => side u). split; [intros u _|intros u v; rewrite h_sides]; unfold inner; simpl; [destruct (fst u)|]; ring.
  - intros Y dims x unit. destruct parts as [L2 [R4 _]]. assert (lin := all_linear kinds). unfold loss_of_kinds, Rdiv. apply Rmult_le_compat_r.
    + rewrite (class_total sizes (fun _ => 1)). simpl. rewrite by_class_const. left. apply Rinv_0_lt_compat. lra.
    + assert (K := together dims x Y unit). eapply Rle_trans; [|apply (lin_le lin); intros u Hu; apply (above_tangent _ _ _ _ _ (smooth u Hu))].
      rewrite (lin_plus lin). apply Rle_trans with (2 := Rplus_le_compat_l _ _ _ K). rewrite Rplus_0_r. apply Rle_refl.
  - intro least. apply Rnot_lt_le. intro neg. destruct (separated neg) as [dims [x [unit less]]]. apply (Rlt_not_le _ _ less), least, unit.
Qed.
End Merging.
