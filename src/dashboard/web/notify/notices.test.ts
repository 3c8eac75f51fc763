import { expect, it } from "vitest";
import { aCard, aShop, nothingYet } from "../../../../test/support/page/fixture.ts";
import { newNotices, noticesIn } from "./notices.ts";

it("are about everything that needs a person", () => {
  expect(noticesIn(aShop()).map(({ title }) => title)).toEqual([
    "Pay by card",
    "Sign in with mail and password",
    "Pictures in modern formats",
    expect.any(String),
  ]);
});

it("are told once, and again for another reason", () => {
  const withQuestion = (question: string) => {
    const card = aCard("pay", "Pay", "blocked", { question, openQuestions: 1 });
    return noticesIn({ ...nothingYet(), stories: { pay: card } });
  };
  const first = withQuestion("Which card?");
  expect(newNotices([], first)).toHaveLength(1);
  expect(newNotices(first, withQuestion("Which card?"))).toEqual([]);
  expect(newNotices(first, withQuestion("Which bank?"))).toMatchObject([
    { title: "Pay", body: "Which bank?", href: "/story/pay" },
  ]);
});

it("are about a task of the pool that is held or broken, and about no other", () => {
  const [list] = Object.values(aShop().pool);
  const [task] = list?.tasks ?? [];
  if (list === undefined || task === undefined) throw new Error("The shop has no pool.");
  const states = ["needs-you", "broken", "ready"] as const;
  const tasks = states.map((state) => ({ ...task, id: state, subject: state, state }));
  const found = noticesIn({ ...nothingYet(), pool: { list: { ...list, tasks } } });
  expect(found.map(({ title }) => title)).toEqual(["needs-you", "broken"]);
});
