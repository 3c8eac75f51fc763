import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { isProcessId, machineIn, startTimeIn, startTimeOf, thisProcess } from "./process-id.ts";

describe("the output of Apple's programs", () => {
  it.each([
    ["S+   Sun Nov 16 10:15:06 2025    ", "Sun Nov 16 10:15:06 2025"],
    ["Ss   Sat Jan  3 00:00:00 2026", "Sat Jan  3 00:00:00 2026"],
    ["U    Sun Nov 16 10:15:06 2025", "Sun Nov 16 10:15:06 2025"],
  ])("has the start time of a process: %j", (line, time) => {
    expect(startTimeIn(line.trim())).toBe(time);
  });

  it.each(["", "Z    Sun Nov 16 10:15:06 2025", "Z+   Sun Nov 16 10:15:06 2025"])(
    "has no start time of a process that is gone: %j",
    (line) => {
      expect(startTimeIn(line)).toBeUndefined();
    },
  );

  it("has the machine's hardware id, whatever its host name", () => {
    const registry = `+-o J316sAP  <class IOPlatformExpertDevice, id 0x100000229, registered, matched, active, busy 0 (245330 ms), retain 40>
    {
      "IOPlatformSerialNumber" = "XXXXXXXXXX"
      "manufacturer" = <"Apple Inc.">
      "IOPlatformUUID" = "9C1F0E44-3B1D-5E2C-8A77-0A1B2C3D4E5F"
      "target-type" = <"J316s">
    }`;
    expect(machineIn(registry)).toBe("9C1F0E44-3B1D-5E2C-8A77-0A1B2C3D4E5F");
    expect(machineIn("")).toBeUndefined();
  });
});

describe("with a real ps, by options that every ps has", () => {
  it("a living process has a start time, the same in any time zone", () => {
    const time = startTimeOf(process.pid, "darwin");
    expect(time).toMatch(/^\w{3} \w{3} +\d+ [\d:]{8} \d{4}$/);
    expect(
      Math.abs(Date.parse(`${time} UTC`) - (Date.now() - process.uptime() * 1000)),
    ).toBeLessThan(60_000);
  });

  it("an ended process has no start time", async () => {
    const child = spawn("true");
    await once(child, "exit");
    expect(startTimeOf(child.pid ?? 0, "darwin")).toBeUndefined();
  });
});

it("an id of a process is recognised by its parts", () => {
  const own = thisProcess();
  expect(isProcessId(JSON.parse(JSON.stringify(own)))).toBe(true);
  for (const wrong of [undefined, null, 1, {}, { ...own, pid: 0 }, { ...own, place: 1 }]) {
    expect(isProcessId(wrong)).toBe(false);
  }
});
