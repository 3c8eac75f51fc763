import { Command } from "commander";
import { expect, it } from "vitest";
import { withCheckoutOptions } from "./checkout-options.ts";

it.each([
  [[], undefined],
  [["--update-checkout"], true],
  [["--no-update-checkout"], false],
])("%j answers the question about the checkout", (words, answer) => {
  const command = withCheckoutOptions(new Command());
  command.parse(words, { from: "user" });
  expect(command.opts()["updateCheckout"]).toBe(answer);
});
