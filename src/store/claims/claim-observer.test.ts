import { describe, expect, it } from "vitest";
import { aCard, aDeadCard } from "../../../test/support/claims.ts";
import { newClaimObserver } from "./claim-observer.ts";

const never = (): number => {
  throw new Error("A process that can be seen needs no sign of life.");
};

describe("an observer", () => {
  it("judges a visible process by the process alone", () => {
    const observer = newClaimObserver(() => 1e12);
    expect(observer.isDead(aCard({ ttlMs: 0 }), never)).toBe(false);
    expect(observer.isDead(aDeadCard({ ttlMs: 1e9 }), never)).toBe(true);
    expect(observer.isDead(aCard({ bootId: "another" }), never)).toBe(true);
  });

  it("counts claimers in another place as alive until it has watched them long enough", () => {
    let now = 1e9;
    const observer = newClaimObserver(() => now);
    const card = aCard({ place: "another machine", ttlMs: 1000 });
    const look = (sign: number): boolean => {
      now += 600;
      return observer.isDead(card, () => sign);
    };
    expect([look(5), look(5), look(5)]).toEqual([false, false, true]);
    // It is alive after all, and its clock was set back.
    expect([look(3), look(3), look(3)]).toEqual([false, false, true]);
  });

  it("caches for a moment that a claimer is alive, and never that it is dead", () => {
    let now = 0;
    const observer = newClaimObserver(() => now);
    const card = aCard({ nonce: "one" });
    const gone = aDeadCard({ nonce: "one" });
    expect(observer.isDeadCached(gone, never)).toBe(true);
    expect(observer.isDeadCached(card, never)).toBe(false);
    now = 99;
    expect([observer.isDeadCached(gone, never), observer.isDead(gone, never)]).toEqual([
      false,
      true,
    ]);
    now = 100;
    expect(observer.isDeadCached(gone, never)).toBe(true);
  });
});
