import { describe, expect, it } from "vitest";
import { withText } from "./json-text.ts";

describe("the value of a key", () => {
  it.each([
    ['{"status":"pending"}', '{"status":"completed"}'],
    [
      '{\n\t"a" : "status",\n\t"status"  :  "pending" ,\n\t"n": 12345678901234567890\n}',
      '{\n\t"a" : "status",\n\t"status"  :  "completed" ,\n\t"n": 12345678901234567890\n}',
    ],
    [
      '{"description":"\\"status\\": \\"x\\" {[","status":"pending"}',
      '{"description":"\\"status\\": \\"x\\" {[","status":"completed"}',
    ],
    [
      '{"deep":{"status":"pending"},"list":["status",{"status":"x"}],"status":"pending"}',
      '{"deep":{"status":"pending"},"list":["status",{"status":"x"}],"status":"completed"}',
    ],
    ['{"status":"one","status":"two"}', '{"status":"one","status":"completed"}'],
    ['{"status":"a\\\\","x":"b"}', '{"status":"completed","x":"b"}'],
  ])("is replaced, and nothing else: %s", (before, after) => {
    expect(withText(before, "status", "completed")).toBe(after);
    expect(JSON.parse(after)).toEqual({ ...JSON.parse(before), status: "completed" });
  });

  it.each([
    ['{"deep":{"status":"x"}}', '{"status": "completed", "deep":{"status":"x"}}'],
    ['{\n  "id": "a"\n}\n', '{\n  "status": "completed",\n  "id": "a"\n}\n'],
    [' { "a": 12345678901234567890 }', ' { "status": "completed", "a": 12345678901234567890 }'],
  ])("is added at the start where there was none: %s", (before, after) => {
    expect(withText(before, "status", "completed")).toBe(after);
  });
});
