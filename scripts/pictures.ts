/** Regenerates the screenshots of the docs in `docs/images`, using the real app with the sample in Chromium. */
import { ensureChromium } from './chromium.ts'
import { run } from './run.ts'

const built = await run('node', ['scripts/build-if-stale.ts', '--with-test-support'])
if (built !== 0) process.exit(built)
process.exit(
  await run('playwright', ['test', '--config', 'tests/e2e/pictures.config.ts', ...process.argv.slice(2)], {
    CHROMIUM_PATH: await ensureChromium(),
  }),
)
