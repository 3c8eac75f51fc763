// What a path says about a file: code, a test, a file that checks depend on, a sensitive or a generated one. Guesses by
// common names. Pure.

export type PathKind = "code" | "test" | "checks" | "sensitive" | "generated";

export function pathKinds(path: string): ReadonlySet<PathKind> {
  const kinds = new Set<PathKind>();
  const isGenerated = isLockFile(path) || GENERATED.test(path);
  const isTest = TEST.test(path);
  if (isGenerated) kinds.add("generated");
  if (isTest) kinds.add("test");
  else if (CODE.test(path) && !isGenerated) kinds.add("code");
  if (CHECKS.test(path)) kinds.add("checks");
  if (!isTest && (SENSITIVE_NAME.test(spaced(path)) || SENSITIVE_FILE.test(path))) {
    kinds.add("sensitive");
  }
  return kinds;
}

/** The same for a file and its test: `src/cart.ts` and `test/cart.test.ts` both give `cart`. */
export function testedName(path: string): string {
  const name = path.split("/").at(-1) ?? "";
  return name
    .replace(/\.[^.]+$/, "")
    .replace(/[._-](?:test|tests|spec)$/i, "")
    .replace(/^test[_-]/i, "")
    .replace(/(?<=[a-z])(?:Test|Tests|Spec)$/, "")
    .toLowerCase();
}

/** Package managers write thousands of lines here, which people do not review. */
export const isLockFile = (path: string): boolean => LOCK_FILE.test(path);

const LOCK_FILE =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lock|deno\.lock|Cargo\.lock|go\.sum|Gemfile\.lock|composer\.lock|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|mix\.lock|pubspec\.lock|Podfile\.lock|flake\.lock|packages\.lock\.json|gradle\.lockfile|Package\.resolved)$/;

const GENERATED = /(?:^|\/)(?:dist|build|vendor|node_modules|generated)\/|\.(?:min\.js|snap|map)$/;

const TEST =
  /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\/|[._-](?:test|tests|spec)\.[^/.]+$|(?:^|\/)test_[^/]+\.py$|[a-z](?:Test|Tests|Spec)\.[^/.]+$/;

const CODE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|php|go|rs|java|kt|kts|scala|cs|fs|swift|m|mm|c|h|cc|cpp|hpp|ex|exs|erl|clj|hs|ml|lua|dart|sh|bash|sql)$/;

/** What decides which checks run, and how. */
const CHECKS =
  /(?:^|\/)(?:package\.json|Makefile|makefile|justfile|Taskfile\.ya?ml|tox\.ini|noxfile\.py|pytest\.ini|conftest\.py|pyproject\.toml|setup\.cfg|Rakefile|build\.gradle(?:\.kts)?|pom\.xml|\.gitlab-ci\.yml|\.pre-commit-config\.yaml|tsconfig[^/]*\.json|biome\.jsonc?|\.oxlintrc\.json|eslint\.config\.[^/]+|\.eslintrc[^/]*|(?:vitest|jest|playwright|karma|cypress)\.config\.[^/]+)$|(?:^|\/)\.(?:github\/workflows|circleci|husky|buildkite)\//;

/** As words of a name: `auth` is one in `user-auth.ts` and `authGuard.ts`, not in `author.ts`. */
const SENSITIVE_NAME =
  /(?:^| )(?:auth|authn|authz|authentication|authorization|login|logout|signin|oauth|saml|sso|session|sessions|password|passwords|passwd|credential|credentials|secret|secrets|token|tokens|crypto|cipher|encryption|permission|permissions|acl|rbac|role|roles|security|csrf|cors|sanitize|sanitizer|payment|payments|billing|invoice|invoices|checkout|charge|refund|refunds|migration|migrations|deploy|deployment|admin|sudo)(?: |$)/;

const SENSITIVE_FILE =
  /(?:^|\/)(?:Dockerfile[^/]*|docker-compose[^/]*\.ya?ml|\.env[^/]*|\.npmrc|\.gitattributes|\.gitmodules|CODEOWNERS|nginx[^/]*\.conf)$|(?:^|\/)(?:terraform|k8s|kubernetes|helm|ansible|infra)\/|\.(?:tf|pem|key|crt|p12|keystore)$/;

/** `src/userAuth-guard.ts` becomes `src user auth guard ts`. */
const spaced = (path: string): string =>
  path
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ")
    .replaceAll(/[^A-Za-z0-9]+/g, " ")
    .toLowerCase();
