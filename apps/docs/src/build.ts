/**
 * Builds the docs site in `apps/docs/dist` from the pages in `docs`. All links are relative, so any web server can serve it from any folder. Holdfast serves it
 * at `/docs`.
 */
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Eleventy } from '@11ty/eleventy'
import { close, createIndex } from 'pagefind'

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))
const target = 'apps/docs/dist'

/** @throws if a page cannot be indexed, because an incomplete search would hide pages */
async function indexPages(): Promise<void> {
  const { index, errors } = await createIndex()
  if (!index) throw new Error(errors.join('\n'))
  const added = await index.addDirectory({ path: target })
  const written = await index.writeFiles({ outputPath: `${target}/pagefind` })
  const failures = [...added.errors, ...written.errors]
  if (failures.length > 0) throw new Error(failures.join('\n'))
  await close()
}

process.chdir(root)
rmSync(target, { recursive: true, force: true })
await new Eleventy('docs', target, { quietMode: true, configPath: 'apps/docs/src/eleventy.config.ts' }).write()
await indexPages()
