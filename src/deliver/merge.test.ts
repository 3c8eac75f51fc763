import { expect, it } from "vitest";
import type { LeaseState } from "../store/leases/leases.ts";
import { ownerInTheWay } from "./merge.ts";

const lease = (life: LeaseState["life"], purpose: LeaseState["record"]["purpose"]) =>
  ({ life, record: { owner: "saga-add-login-1", purpose } }) as LeaseState;

it("is refused while a living worker has the story, and only then", () => {
  expect(ownerInTheWay(lease("alive", "work"))).toBe("saga-add-login-1");
  expect(ownerInTheWay(lease("dead", "work"))).toBeUndefined();
  expect(ownerInTheWay(undefined)).toBeUndefined();
});

it("lets a second merge of the same story wait for the first one's outcome", () => {
  expect(ownerInTheWay(lease("alive", "merge"))).toBeUndefined();
});
