/** Open points that nobody can see from outside, with the reason. */
export const notObservableOptions: Readonly<Record<string, string>> = {
  idempotencyHours: "A key would have to be looked at again after an hour and after a day.",
  stored500: "The service would have to fail at the very moment between creation and model.",
  dailySpendCap: "The cap would have to be spent.",
  suspendAfterContentBlocked: "A key would have to be risked.",
};
