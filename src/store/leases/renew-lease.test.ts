import { describe, expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import { openStore } from "../file-store.ts";
import { renewedLease, renewLease } from "./renew-lease.ts";

const QUICKLY_MS = 1;

describe("a lease that is renewed", () => {
  it("is lost when another process has taken it, and is not renewed any more", async () => {
    let renewals = 0;
    await new Promise<void>((resolve) => {
      const renew = async (): Promise<boolean> => ++renewals < 3;
      renewLease({ renew }, { onLost: resolve, onError: () => undefined }, QUICKLY_MS);
    });
    expect(renewals).toBe(3);
  });

  it("survives a disk that is full for a while", async () => {
    const errors: unknown[] = [];
    let renewals = 0;
    const end = await new Promise<() => void>((resolve) => {
      const ended = renewLease(
        {
          renew: async () => {
            if (++renewals < 3) throw new Error("ENOSPC");
            resolve(() => ended());
            return true;
          },
        },
        { onLost: () => errors.push("lost"), onError: (error) => errors.push(error) },
        QUICKLY_MS,
      );
    });
    end();
    expect(errors).toEqual([new Error("ENOSPC"), new Error("ENOSPC")]);
  });

  it("is not lost when it was released while it was being renewed", async () => {
    const lost: unknown[] = [];
    await new Promise<void>((resolve) => {
      const renew = async (): Promise<boolean> => {
        end();
        setImmediate(resolve);
        return false;
      };
      const note = (error?: unknown): void => void lost.push(error);
      const end = renewLease({ renew }, { onLost: note, onError: note }, QUICKLY_MS);
    });
    expect(lost).toEqual([]);
  });

  it("tells its owner that it is lost, and that only once it is", async () => {
    const { leases } = openStore(newProject().path);
    const { lease } = await leases.acquire("merge", { owner: "first", ttlMs: 90_000 });
    if (!lease) throw new Error("It is free.");
    let isLost = false;
    const renew = async (): Promise<boolean> => !isLost && lease.renew();
    const own = renewedLease({ ...lease, renew }, QUICKLY_MS);
    expect(own.lost.aborted).toBe(false);
    isLost = true;
    await new Promise((resolve) => own.lost.addEventListener("abort", resolve));
    await own.release();
    expect(await leases.list()).toEqual([]);
  });
});
