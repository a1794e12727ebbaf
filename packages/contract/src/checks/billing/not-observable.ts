/** Rules of this part that nobody can see from outside, each with the reason. */
export const billingNotObservable: Readonly<Record<string, string>> = {
  "errors.500.replayed":
    "It takes a 500 after the job was made and before the model is reached; neither a caller nor the control API can bring that about, whose faults strike before the work or after it.",
  "limits.daily-spend-cap.value":
    "A cap shows itself only to who spends all of it: thousands of try-ons in a day with one key, which no run can ask for.",
};
