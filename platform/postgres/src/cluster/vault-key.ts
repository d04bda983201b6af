import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownerOf, type Identity } from './identity.ts'

/** Key file in the data folder, which `0012_hosted_ground.sql` reads beside the database files. */
const FILE = 'vault-key'

/** Creates the vault's encryption key if missing. Postgres reads it, so it belongs to Postgres's user. */
export function ensureVaultKey(dataDir: string, identity: Identity): void {
  const path = join(dataDir, FILE)
  if (!existsSync(path)) writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
  const owner = ownerOf(identity)
  if (owner) chownSync(path, owner.uid, owner.gid)
}
