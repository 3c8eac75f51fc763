// The browser of the system, for tests and for the bench.

import { chromium, type Browser } from "playwright-core";

const EXECUTABLE = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: EXECUTABLE, args: ARGS });
