import { join, matchesGlob } from 'node:path/posix'

/** Valid targets of references. */
export interface Repository {
  /** Files and folders, relative to the repository. */
  readonly paths: readonly string[]
  /** The anchors of a page; `undefined` if there is no such page. */
  readonly anchorsOf: (page: string) => ReadonlySet<string> | undefined
  /** Names in `scripts` of the root manifest and of the app created by the guides. */
  readonly scripts: ReadonlySet<string>
}

/** Paths written like the repository's but located elsewhere, with an explanation. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'seed.sql': 'a project',
  'supabase/seed.sql': 'a project',
  'apps/notes': 'the app that a guide builds',
  'case.html': 'a page that was used for a measurement',
  'roles.sql': 'what pg_dumpall writes',
}

const CODE_FILE = /\.(tsx?|sql|mjs|css|html|sh)$/
/** A path or file name, possibly with `*` and `{a,b}`. */
const PATH = /^(\.\.?\/)*[\w@{},*-][\w.@{},*-]*(\/[\w.@{},*-]+)*\/?$/
/** Placeholders such as `x.test.ts` and `NNNN_words.sql`. */
const PLACEHOLDER = /(^|\/)(x\.|NNNN)/
const BUILT = /(^|\/)dist\//

/**
 * Finds broken links, paths in backquotes and commands (`npm run …`) on a page. A path may be shortened to its end, such as `gateway/gateway.ts`. Fenced code
 * is ignored. A page that shows a manifest may name its scripts.
 *
 * @param base - the folder that links are relative to
 * @returns a line for each
 */
export function findLostReferences(
  text: string,
  { paths, anchorsOf, scripts }: Repository,
  base: string,
): readonly string[] {
  const prose = withoutFences(text)
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  const commands = [...text.matchAll(/npm run (?:--?[\w-]+ )*([\w:-]+)/g)].map(([, name = '']) => name)
  const ownScripts = new Set(
    [...(/"scripts": \{([^}]*)\}/.exec(text)?.[1] ?? '').matchAll(/"([\w:-]+)":/g)].map(([, name]) => name),
  )
  return [
    ...links.filter((link) => !leadsSomewhere(link)).map((link) => `nothing is at the link ${link}`),
    ...spans.filter((span) => isPath(span) && !exists(span)).map((span) => `there is no ${span}`),
    ...commands
      .filter((name) => !scripts.has(name) && !ownScripts.has(name))
      .map((name) => `there is no script ${name} (npm run ${name})`),
  ]

  function leadsSomewhere(link: string): boolean {
    if (/^[a-z]+:/.test(link)) return true
    const [path = '', anchor] = link.split('#')
    if (path === '') return true // an anchor on the same page, which the sources of generated pages lack
    const target = join(base, path).replace(/\/$/, '')
    if (!paths.includes(target)) return false
    return anchor === undefined || anchorsOf(target)?.has(anchor) === true
  }

  function isPath(span: string): boolean {
    const path = withoutLine(span)
    if (!PATH.test(path) || PLACEHOLDER.test(path) || BUILT.test(path) || path in ELSEWHERE) return false
    if (CODE_FILE.test(path)) return true
    const [first = ''] = path.split('/')
    return path.includes('/') && paths.some((each) => each.startsWith(`${first}/`))
  }

  function exists(span: string): boolean {
    const path = withoutLine(span)
      .replace(/^(\.\.?\/)+/, '')
      .replace(/\/$/, '')
    if (/[*{]/.test(path)) return paths.some((each) => matchesGlob(each, path) || matchesGlob(each, `**/${path}`))
    return paths.some((each) => each === path || each.endsWith(`/${path}`))
  }
}

/** Returns the anchors that GitHub generates for a page's headings. */
export function anchorsIn(text: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutFences(text).matchAll(/^#{1,6} +(.*)$/gm)) {
    const slug = heading
      .trim()
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-')
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

function withoutFences(text: string): string {
  return text.replaceAll(/^(\s*)(`{3,}|~{3,})[\s\S]*?^\s*\2`*$/gm, '')
}

/** Strips the line number of `execute.ts:12`. */
function withoutLine(span: string): string {
  return span.replace(/:\d+$/, '')
}
