/** `$1.10`; an estimate is `~$1.10`. */
export const usd = (amount: number, isEstimate = false, digits = 2): string =>
  `${isEstimate ? "~" : ""}$${amount.toFixed(digits)}`;
