import { globSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

interface SourceMap {
  readonly sources: readonly string[]
}

const PACKAGE_FOLDER = /(?:^|\/)(node_modules\/.*)$/
const LAST_PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/

/**
 * Collects the licences of packages whose code is part of the published server and app, as their terms require.
 *
 * @param root - of the repository, with both built: the server's bundle and the app's source maps name the packages
 * @throws if a package has neither a licence file nor a declared licence
 */
export function collectNotices(root: string): string {
  const folders = new Set(
    JSON.parse(readFileSync(join(root, 'server/dist/bundle/bundled-packages.json'), 'utf8')) as readonly string[],
  )
  for (const file of globSync('apps/workspace/dist/**/*.map', { cwd: root })) {
    const { sources } = JSON.parse(readFileSync(join(root, file), 'utf8')) as SourceMap
    for (const source of sources) {
      const folder = LAST_PACKAGE.exec(PACKAGE_FOLDER.exec(source)?.[1] ?? '')?.[0]
      if (folder !== undefined) folders.add(folder)
    }
  }
  // Workers and fonts are copied without a source map that would name them.
  folders.add('node_modules/@fontsource-variable/inter')
  folders.add('node_modules/@electric-sql/pglite-tools')
  const notices = [...folders].toSorted().map((folder) => noticeOf(root, folder))
  return `Holdfast contains code of these packages.\n\n${[...new Set(notices)].join('\n')}`
}

function noticeOf(root: string, folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    name: string
    version: string
    license?: string
  }
  const texts = readdirSync(join(root, folder))
    .filter((file) => /^(?:licen[cs]e|notice|copying)(?:[.-]|$)/i.test(file))
    .toSorted()
    .map((file) => readFileSync(join(root, folder, file), 'utf8').trim())
  if (texts.length === 0 && license === undefined) throw new Error(`${folder} does not say under which licence it is`)
  return `${'='.repeat(80)}\n${name} ${version} (${license ?? 'see below'})\n\n${texts.join('\n\n')}\n`
}
