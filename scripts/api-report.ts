/**
 * Compares the public types of the published client packages with `public-types.txt` beside each manifest, so that reviews show changes to the types that
 * apps compile against. Exits 1 if they differ; `--write` writes the files. Reads the declarations written by `tsc -b`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'rolldown/parseAst'

interface Origin {
  readonly file: string
  readonly name: string
}

/** The top-level names of a declaration file. */
interface Declarations {
  /** Text of local declarations. */
  readonly local: ReadonlyMap<string, string>
  /** Origin of imported and re-exported names. */
  readonly from: ReadonlyMap<string, { readonly specifier: string; readonly name: string }>
  readonly exported: readonly string[]
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const PACKAGES = ['clients/client', 'clients/react', 'clients/testing']
/** Packages that are inlined into others when published. */
const INLINED: Readonly<Record<string, string>> = { '@holdfast/protocol': 'platform/protocol/dist/index.d.ts' }

const parsed = new Map<string, Declarations>()

function declarationsOf(file: string): Declarations {
  const known = parsed.get(file)
  if (known) return known
  const source = readFileSync(file, 'utf8')
  const local = new Map<string, string>()
  const from = new Map<string, { readonly specifier: string; readonly name: string }>()
  const exported: string[] = []
  for (const node of parseAst(source, { lang: 'dts' }, file).body) {
    if (node.type === 'ImportDeclaration') {
      for (const one of node.specifiers) {
        const name = one.type === 'ImportSpecifier' ? nameOf(one.imported) : '*'
        from.set(one.local.name, { specifier: node.source.value, name })
      }
    } else if (node.type === 'ExportAllDeclaration') {
      throw new Error(`${file} exports everything of ${node.source.value}, which this report does not follow`)
    } else if (node.type === 'ExportNamedDeclaration' && !node.declaration) {
      for (const one of node.specifiers) {
        exported.push(nameOf(one.exported))
        if (node.source) from.set(nameOf(one.exported), { specifier: node.source.value, name: nameOf(one.local) })
      }
    } else {
      const declaration = node.type === 'ExportNamedDeclaration' ? node.declaration : node
      const text = source.slice(declaration?.start, declaration?.end).replaceAll(/\/\*.*?\*\/\s*/gs, '')
      for (const name of declaredNames(text)) {
        local.set(name, [local.get(name), text].filter((one) => one !== undefined).join('\n'))
        if (node.type === 'ExportNamedDeclaration') exported.push(name)
      }
    }
  }
  const found = { local, from, exported }
  parsed.set(file, found)
  return found
}

function nameOf(name: { readonly type: string; readonly name?: string; readonly value?: string }): string {
  return name.name ?? name.value ?? ''
}

function declaredNames(text: string): readonly string[] {
  const match = /^(?:declare |abstract )*(?:interface|type|class|function|const|let|enum|namespace) ([\w$]+)/.exec(text)
  return match?.[1] === undefined ? [] : [match[1]]
}

/** Resolves a name to its declaring file. @returns `undefined` for names of external packages or the language */
function originOf({ file, name }: Origin): Origin | { readonly specifier: string; readonly name: string } | undefined {
  const { local, from } = declarationsOf(file)
  if (local.has(name)) return { file, name }
  const source = from.get(name)
  if (!source) return undefined
  const inlined = INLINED[source.specifier]
  if (inlined !== undefined) return originOf({ file: join(root, inlined), name: source.name })
  if (!source.specifier.startsWith('.')) return source
  const next = join(dirname(file), source.specifier.replace(/\.(?:tsx?|js)$/, '.d.ts'))
  if (!existsSync(next)) throw new Error(`${relative(root, file)} imports ${source.specifier}, which is not built`)
  return originOf({ file: next, name: source.name })
}

/** Collects all declarations reachable from a package's exports: its own as text, external ones by name. */
function reportOf(path: string): string {
  const index = join(root, path, 'dist/index.d.ts')
  const waiting = declarationsOf(index).exported.map((name) => ({ file: index, name }))
  const publicNames = new Set(waiting.map(({ name }) => name))
  const own = new Map<string, string>()
  const ofOthers = new Set<string>()
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const origin = originOf(next)
    if (!origin) continue
    if ('specifier' in origin) {
      ofOthers.add(`${origin.specifier}: ${origin.name}`)
      continue
    }
    const key = `${origin.name}\0${relative(root, origin.file)}`
    if (own.has(key)) continue
    const { local, from } = declarationsOf(origin.file)
    const text = local.get(origin.name) ?? ''
    const isPublic = publicNames.has(next.name) && next.file === index
    own.set(key, `${isPublic ? 'export ' : ''}${text}`)
    for (const [word] of text.matchAll(/[A-Za-z_$][\w$]*/g))
      if (local.has(word) || from.has(word)) waiting.push({ file: origin.file, name: word })
  }
  const texts = [...own].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text)
  return `${[...texts, [...ofOthers].toSorted().join('\n')].join('\n\n')}\n`
}

for (const path of PACKAGES) {
  const file = join(root, path, 'public-types.txt')
  const report = reportOf(path)
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (report === before) continue
  if (process.argv.includes('--write')) {
    writeFileSync(file, report)
    continue
  }
  const [kept, now] = [new Set(before.split('\n')), new Set(report.split('\n'))]
  for (const line of kept) if (!now.has(line)) console.error(`${path}: - ${line}`)
  for (const line of now) if (!kept.has(line)) console.error(`${path}: + ${line}`)
  console.error(`The public types of ${path} changed. If that is meant: node scripts/api-report.ts --write`)
  process.exitCode = 1
}
