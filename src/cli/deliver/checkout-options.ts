import type { Command } from "commander";

/** Answers in advance what is asked at a terminal. */
export const withCheckoutOptions = (command: Command, when = ""): Command =>
  command
    .option("--update-checkout", `${when}update a clean checkout of the target as well`)
    .option("--no-update-checkout", `${when}leave every checkout as it is, without asking`);
