import { describe, expect, it } from "vitest";
import { keepClaim } from "./claim.ts";

const QUICKLY_MS = 1;

describe("a claim that is renewed", () => {
  it("is lost when another has taken it, and is not renewed any more", async () => {
    let asked = 0;
    await new Promise<void>((resolve) => {
      const renew = (): boolean => ++asked < 3;
      keepClaim({ renew }, { onLost: resolve, onFault: () => undefined }, QUICKLY_MS);
      // Timers of a claim do not keep a process alive.
      setTimeout(() => undefined, 1000).unref();
      setInterval(() => undefined, 1).unref();
    });
    expect(asked).toBe(3);
  });

  it("survives a disk that is full for a while", async () => {
    const faults: unknown[] = [];
    let asked = 0;
    const end = await new Promise<() => void>((resolve) => {
      const ended = keepClaim(
        {
          renew: () => {
            if (++asked < 3) throw new Error("ENOSPC");
            resolve(() => ended());
            return true;
          },
        },
        { onLost: () => faults.push("lost"), onFault: (error) => faults.push(error) },
        QUICKLY_MS,
      );
    });
    end();
    expect(faults).toEqual([new Error("ENOSPC"), new Error("ENOSPC")]);
  });
});
