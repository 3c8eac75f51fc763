// The first syntax error in a text that is not JSON: where it is, and how to fix it.

import { parseTree, printParseErrorCode, type ParseError } from "jsonc-parser";

interface Description {
  /** The end of a sentence. */
  readonly message: string;
  readonly fix: string;
}

export interface JsonSyntaxError {
  readonly offset: number;
  readonly describe: (line: number) => Description;
}

/** The first error. Undefined when the tolerant parser finds none. */
export function firstSyntaxError(text: string): JsonSyntaxError | undefined {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  if (!first) return undefined;
  const comma = trailingComma(text, first.offset);
  if (comma === undefined) return { offset: first.offset, describe: () => describe(text, first) };
  return {
    offset: comma,
    describe: (line) => ({
      message: `extra comma on line ${line}`,
      fix: `Remove the last comma on line ${line}.`,
    }),
  };
}

/** The offset of a comma right before a closing bracket. */
function trailingComma(text: string, offset: number): number | undefined {
  const before = text.slice(0, offset).trimEnd();
  const isClosed = text[offset] === "}" || text[offset] === "]";
  return isClosed && before.endsWith(",") ? before.length - 1 : undefined;
}

function describe(text: string, { error, offset, length }: ParseError): Description {
  if (text.slice(offset).trim() === "") return TOO_SHORT;
  const found = text.slice(offset, offset + Math.min(length, MOST_SHOWN));
  const name = printParseErrorCode(error);
  const isKey = name === "InvalidSymbol" && /^\s*:/.test(text.slice(offset + length));
  return (
    SYNTAX_ERRORS[isKey ? "PropertyNameExpected" : name] ?? {
      message: `${JSON.stringify(found)} is not expected here`,
      fix: "Remove or correct it.",
    }
  );
}

const MOST_SHOWN = 20;

const TOO_SHORT = { message: "the file ends too early", fix: "Close every bracket and string." };
const CLOSE = "Close the bracket.";

const SYNTAX_ERRORS: Readonly<Record<string, Description>> = {
  InvalidNumberFormat: { message: "this number is malformed", fix: "Correct the number." },
  PropertyNameExpected: {
    message: "a key in double quotes is expected here",
    fix: "Put every key and string in double quotes.",
  },
  ValueExpected: { message: "a value is missing here", fix: "Write a value." },
  ColonExpected: { message: "a colon is missing here", fix: "Write a colon after the key." },
  CommaExpected: {
    message: "a comma is missing before this",
    fix: "Write a comma between entries.",
  },
  CloseBraceExpected: { message: "a } is missing here", fix: CLOSE },
  CloseBracketExpected: { message: "a ] is missing here", fix: CLOSE },
  EndOfFileExpected: { message: "unexpected text after the end", fix: "Remove that text." },
  InvalidCommentToken: { message: "JSON has no comments", fix: "Remove the comment." },
  UnexpectedEndOfString: {
    message: "this string has no closing quote",
    fix: "Close it with a double quote; write a line break as \\n.",
  },
  InvalidEscapeCharacter: {
    message: "this escape does not exist",
    fix: "Write a backslash as \\\\.",
  },
  InvalidUnicode: { message: "this \\u escape is malformed", fix: "Write four digits after \\u." },
  InvalidCharacter: {
    message: "a string contains a control character",
    fix: "Write it as an escape, like \\t.",
  },
};
