import { describe, expect, it } from "vitest";
import { storyUpdateIn } from "../../../test/support/staging.ts";
import { parsePlan, payloadIn } from "./plan.ts";

const task = { id: "write-tests", subject: "Write tests", description: "For login." };
const story = { id: "add-login", title: "Add login", description: "A form." };
const epic = { id: "user-auth", title: "Auth", description: "People sign in." };

describe("a plan", () => {
  it("has epics and stories with their tasks, exactly as they were written", () => {
    const json = {
      epics: [epic],
      stories: [{ ...story, ticket: "ABC-1", blockedBy: ["other"], tasks: [task] }],
    };
    expect(parsePlan(json)).toEqual({
      plan: {
        epics: [epic],
        stories: [{ fields: { ...story, ticket: "ABC-1" }, blockedBy: ["other"], tasks: [task] }],
        isPartial: false,
      },
    });
  });

  it("may leave out epics, stories, tasks and children", () => {
    expect(parsePlan({})).toEqual({ plan: { epics: [], stories: [], isPartial: false } });
    expect(parsePlan({ stories: [story] }).plan?.stories).toEqual([
      { fields: story, blockedBy: undefined, tasks: [] },
    ]);
    expect(parsePlan({ epics: [epic] }).plan?.epics).toEqual([epic]);
  });

  it("is refused with the path of each problem", () => {
    const json = {
      epics: [{ ...epic, title: "" }],
      stories: [{ ...story, blockedBy: ["B"], tasks: [{ ...task, id: "1" }] }],
    };
    expect(parsePlan(json).problems?.map(({ path }) => path)).toEqual([
      ["epics", 0, "title"],
      ["stories", 0, "blockedBy", 0],
      ["stories", 0, "tasks", 0, "id"],
    ]);
  });

  it.each([
    [[], "The file must be an object, but is a list."],
    [null, "The file must be an object, but is null."],
    ["plan", "The file must be an object, but is a string."],
    [{ storys: [] }, "`storys` is not a known field."],
    [{ stories: {} }, "`stories` must be a list, but is an object."],
    [
      { stories: [{ ...story, title: 5 }] },
      "`stories[0].title` must be a string, but is a number.",
    ],
  ])("is not %j", (json, message) => {
    expect(parsePlan(json).problems).toMatchObject([{ message }]);
  });
});

describe("a staging payload", () => {
  const storyUpdate = storyUpdateIn("running");
  const epicUpdate = {
    id: "epic-001",
    title: "Board",
    branch: "epic/board",
    prNumber: 12,
    persistent: false,
  };

  it("is a plan under other names, and keeps the fields that it leaves out", () => {
    const { epicId, state, ...rest } = storyUpdate;
    expect(parsePlan({ storyUpdate, epicUpdate })).toEqual({
      plan: {
        epics: [epicUpdate],
        stories: [
          {
            fields: { ...rest, epic: epicId, status: "in_progress" },
            blockedBy: undefined,
            tasks: [],
          },
        ],
        isPartial: true,
      },
    });
    expect(state).toBe("running");
  });

  it.each([
    ["filling", "pending"],
    ["running", "in_progress"],
    ["closed", "completed"],
  ])("calls %s the status that is stored as %s", (state, status) => {
    const [found] = parsePlan({ storyUpdate: { id: "a", state } }).plan?.stories ?? [];
    expect(found?.fields).toEqual({ id: "a", status });
  });

  it("calls the description body", () => {
    const { plan } = parsePlan({
      storyUpdate: { id: "a", body: "The goal." },
      epicUpdate: { id: "e", body: "The reason." },
    });
    expect(plan?.stories[0]?.fields).toEqual({ id: "a", description: "The goal." });
    expect(plan?.epics).toEqual([{ id: "e", description: "The reason." }]);
  });

  it("may have one story and epic, several, or only one kind", () => {
    const { plan } = parsePlan({ storyUpdate: [{ id: "a" }, { id: "b" }] });
    expect(plan?.stories.map(({ fields }) => fields["id"])).toEqual(["a", "b"]);
    expect(plan?.epics).toEqual([]);
    expect(parsePlan({ epicUpdate: [{ id: "e" }] }).plan).toMatchObject({
      epics: [{ id: "e" }],
      stories: [],
    });
  });

  it("may have tasks and blockers, exactly as they were written", () => {
    const [found] =
      parsePlan({ storyUpdate: { id: "a", blockedBy: ["b"], tasks: [task] } }).plan?.stories ?? [];
    expect(found).toEqual({ fields: { id: "a" }, blockedBy: ["b"], tasks: [task] });
  });

  it("is refused with the field that breaks a rule", () => {
    expect(parsePlan({ storyUpdate: { id: "Bad Id" } }).problems).toMatchObject([
      { path: ["storyUpdate", "id"] },
    ]);
  });

  it.each([
    [{ storyUpdate: {} }, ["storyUpdate", "id"]],
    [{ storyUpdate: { id: "a", state: "open" } }, ["storyUpdate", "state"]],
    [{ storyUpdate: [{ id: "a", state: "open" }] }, ["storyUpdate", 0, "state"]],
    [{ epicUpdate: { title: "E" } }, ["epicUpdate", "id"]],
    [
      { storyUpdate: { id: "a", tasks: [{ ...task, subject: undefined }] } },
      ["storyUpdate", "tasks", 0, "subject"],
    ],
  ])("is refused with the field that is missing or wrong: %j", (json, path) => {
    expect(parsePlan(json).problems?.map((finding) => finding.path)).toEqual([path]);
  });

  it("is refused together with a plan in Saga's own form, because half of it would be ignored", () => {
    expect(parsePlan({ storyUpdate: { id: "a" }, stories: [story] }).problems).toBeDefined();
  });
});

describe("a payload in an agent's answer", () => {
  const payload = '{\n  "storyUpdate": { "id": "a", "body": "{braces}" }\n}';

  it("is the object behind the marker", () => {
    expect(payloadIn(`STAGING_PAYLOAD\n${payload}`)).toBe(`\n${payload}`);
  });

  it("may be wrapped in prose and fences", () => {
    const text = `Here { it } is:\n\n\`\`\`json\nSTAGING_PAYLOAD\n${payload}\n\`\`\`\nDone.`;
    expect(JSON.parse(payloadIn(text) ?? "")).toEqual(JSON.parse(payload));
  });

  it("keeps its line numbers of the whole text", () => {
    const text = `One.\nTwo.\nSTAGING_PAYLOAD ${payload}`;
    expect(
      payloadIn(text)
        ?.split("\n")
        .findIndex((line) => line.includes("storyUpdate")),
    ).toBe(3);
  });

  it("is the last one, when the agent corrected itself", () => {
    const text = `STAGING_PAYLOAD\n{"old":1}\nSTAGING_PAYLOAD\n{"new":1}`;
    expect(payloadIn(text)?.trim()).toBe('{"new":1}');
  });

  it("ends with its object, whatever follows", () => {
    const text = `STAGING_PAYLOAD\n${payload}\nThe {braces} stay.`;
    expect(payloadIn(text)?.trim()).toBe(payload);
  });

  it("may mention the marker in its text", () => {
    const own = '{"storyUpdate":{"id":"a","body":"Parse STAGING_PAYLOAD {json}"}}';
    expect(payloadIn(`STAGING_PAYLOAD\n${own}`)?.trim()).toBe(own);
  });

  it("is not searched for in a plan that mentions the marker", () => {
    const plan = {
      stories: [
        { ...story, title: "Read STAGING_PAYLOAD" },
        { ...story, id: "b" },
      ],
    };
    expect(payloadIn(JSON.stringify(plan))).toBeUndefined();
  });

  it.each(["", '{"stories":[]}', "STAGING_PAYLOAD", "} STAGING_PAYLOAD"])(
    "is not found in %j",
    (text) => {
      expect(payloadIn(text)).toBeUndefined();
    },
  );
});
