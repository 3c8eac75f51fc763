import { expect, it } from "vitest";
import { deliveryMessage, parseDelivery } from "./delivery-record.ts";

const delivery = { storyId: "add-login", target: "main", tip: "a1", onto: "b2", commit: "c3" };

it("is read as it was written", () => {
  const text = `tree 1\nparent c3\n\n${deliveryMessage(delivery)}`;
  expect(parseDelivery("add-login", "d4", text)).toEqual({ ...delivery, record: "d4" });
});

it("is none without all of its fields: it would say that work arrived which did not", () => {
  const message = deliveryMessage(delivery);
  expect(parseDelivery("add-login", "d4", "A commit of a person.\n")).toBeUndefined();
  for (const field of ["Target: main", "Tip: a1", "Onto: b2", "Commit: c3"]) {
    const text = message.replace(`Saga-${field}\n`, "");
    expect(parseDelivery("add-login", "d4", text)).toBeUndefined();
  }
});

it("keeps a target with a slash in its name", () => {
  const text = deliveryMessage({ ...delivery, target: "epic/shop" });
  expect(parseDelivery("add-login", "d4", text)?.target).toBe("epic/shop");
});
