/** `npm run release:fixture`: keeps what this release leaves on a server and a device, for the tests of all later ones. Run once, for the tagged commit. */
import { readFileSync } from 'node:fs'
import { writeReleaseFixture } from './release-fixture.ts'

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string
}
console.log(`wrote ${await writeReleaseFixture(version)}`)
