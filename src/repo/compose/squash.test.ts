import { expect, it } from "vitest";
import { squashMessage } from "./squash.ts";

const commit = (message: string): { message: string } => ({ message });

it("has the story's title, its tasks in their order, and the trailers of all of them", () => {
  const commits = [
    commit("Add the form\n\nWith a body.\n\nSaga-Story: login\nSaga-Task: form\n"),
    commit("Fix a typo\n"),
    commit("Add the page\n\nSaga-Story: login\nSaga-Task: page\n"),
  ];
  expect(squashMessage({ storyId: "login", title: "Log in" }, commits)).toBe(
    "Log in\n\n- Add the form\n- Fix a typo\n- Add the page\n\nSaga-Story: login\nSaga-Task: form\nSaga-Task: page\n",
  );
});

it("does not repeat a title that is the only commit's", () => {
  const one = [commit("Log in\n\nSaga-Task: form\n")];
  const expected = "Log in\n\nSaga-Story: login\nSaga-Task: form\n";
  expect(squashMessage({ storyId: "login", title: "Log in" }, one)).toBe(expected);
  expect(squashMessage({ storyId: "login" }, one)).toBe(expected);
});

it("falls back to the story's id", () => {
  expect(squashMessage({ storyId: "login" }, [])).toBe("login\n\nSaga-Story: login\n");
});
