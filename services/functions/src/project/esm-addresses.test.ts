import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findEsmAddresses } from './esm-addresses.ts'

test('addresses with a query or the version of the host lead to their packages, others stay with the host', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'pay/node_modules'), { recursive: true })
  writeFileSync(
    join(folder, 'pay/index.ts'),
    `import Stripe from 'https://esm.sh/stripe@14?target=denonext'
     import { z } from "https://esm.sh/v135/zod@3.22.4/lib/index.mjs"
     import { createClient } from 'https://esm.sh/@supabase/supabase-js@2'
     import 'https://esm.sh/gh/owner/repo@1.0.0?bundle'`,
  )
  writeFileSync(join(folder, 'import_map.json'), `{ "imports": { "react": "https://esm.sh/react@18?dev" } }`)
  writeFileSync(join(folder, 'pay/node_modules/other.js'), `import 'https://esm.sh/left@1?out'`)
  expect(findEsmAddresses(folder)).toEqual({
    'https://esm.sh/stripe@14?target=denonext': 'npm:/stripe@14',
    'https://esm.sh/v135/zod@3.22.4/lib/index.mjs': 'npm:/zod@3.22.4/lib/index.mjs',
    'https://esm.sh/gh/owner/repo@1.0.0?bundle': 'https://esm.sh/gh/owner/repo@1.0.0?bundle',
    'https://esm.sh/react@18?dev': 'npm:/react@18',
  })
  expect(findEsmAddresses(join(folder, 'nowhere'))).toEqual({})
})
