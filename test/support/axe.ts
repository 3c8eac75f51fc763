// Scans a page for accessibility problems.

import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** The only rule whose result depends on the colour scheme. */
export const CONTRAST = "color-contrast";

/** One line for each problem. */
export async function violationsOn(
  page: Page,
  narrow: (scan: AxeBuilder) => AxeBuilder = (scan) => scan,
): Promise<string[]> {
  // The scanner is half a megabyte: inject it once per page, not twice per scan.
  const isInjected = await page.evaluate(() => "axe" in window);
  const scanner = new AxeBuilder({ page, ...(isInjected && { axeSource: "void 0" }) });
  // Legacy mode does not open a second page for frames; there are none.
  const scan = narrow(scanner.setLegacyMode().options({ resultTypes: ["violations"] }));
  const { violations } = await scan.analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`),
  );
}
