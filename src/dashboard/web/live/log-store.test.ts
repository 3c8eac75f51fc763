import { describe, expect, it } from "vitest";
import type { FromPage } from "../../protocol/messages.ts";
import { createLogStore } from "./log-store.ts";

const message = (text: string) => ({ at: "2026-11-16T10:00:00.000Z", type: "agent.said", text });

describe("a followed log", () => {
  it("continues without losing or repeating a line", () => {
    const { book, requests } = newBook();
    book.watch("cart", "r1", () => undefined);
    expect(requests).toEqual([{ type: "follow", story: "cart", run: "r1", from: 0 }]);
    book.receive(log(0, 20, ["a", "b"]));
    book.receive(log(0, 20, ["a", "b"]));
    book.receive(log(20, 30, ["c"]));
    book.receive(log(20, 30, ["c"]));
    expect(textsOf(book)).toEqual(["a", "b", "c"]);
  });

  it("requests missing lines again", () => {
    const { book, requests } = newBook();
    book.watch("cart", "r1", () => undefined);
    book.receive(log(0, 20, ["a", "b"]));
    book.receive(log(30, 40, ["d"]));
    expect(requests.at(-1)).toEqual({ type: "follow", story: "cart", run: "r1", from: 20 });
    book.receive(log(20, 40, ["c", "d"]));
    expect(textsOf(book)).toEqual(["a", "b", "c", "d"]);
  });

  it("starts over when its file was replaced", () => {
    const { book } = newBook();
    book.watch("cart", "r1", () => undefined);
    book.receive(log(0, 20, ["a", "b"]));
    book.receive(log(20, 30, ["c"]));
    book.receive(log(0, 10, ["of another file"]));
    book.receive(log(10, 20, ["and on"]));
    expect(textsOf(book)).toEqual(["of another file", "and on"]);
  });

  it("continues at its offset on a new connection", () => {
    const { book, requests } = newBook();
    book.watch("cart", "r1", () => undefined);
    book.receive(log(0, 20, ["a", "b"]));
    book.followAgain();
    expect(requests.at(-1)).toMatchObject({ type: "follow", from: 20 });
  });

  it("is left when it is no longer watched, kept for a while, and forgotten after a few others", () => {
    const { book, requests } = newBook();
    const leave = book.watch("cart", "r1", () => undefined);
    book.receive(log(0, 20, ["a", "b"]));
    leave();
    expect(requests.at(-1)).toEqual({ type: "leave", story: "cart", run: "r1" });
    book.watch("cart", "r1", () => undefined)();
    expect(requests).toContainEqual({ type: "follow", story: "cart", run: "r1", from: 20 });
    for (const run of ["r2", "r3", "r4", "r5"]) book.watch("cart", run, () => undefined)();
    expect(book.view("cart", "r1").isLoading).toBe(true);
  });
});

const log = (from: number, next: number, texts: readonly string[]) =>
  ({ type: "log", story: "cart", run: "r1", from, next, events: texts.map(message) }) as const;

const textsOf = (book: ReturnType<typeof newBook>["book"]): string[] =>
  book.view("cart", "r1").rows.map(({ text }) => text);

function newBook() {
  const requests: FromPage[] = [];
  const book = createLogStore(
    (message) => requests.push(message),
    (tell) => tell(),
  );
  return { book, requests };
}
