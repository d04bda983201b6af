import { expect, test } from 'vitest'
import { createOperatorSecrets } from './operator-secrets.ts'

const ours = createOperatorSecrets('a secret of the server with enough characters')
const theirs = createOperatorSecrets('another secret of a server, with as many')

test('a sealed secret is read with the same server secret only', () => {
  const sealed = ours.seal('JBSWY3DPEHPK3PXP')
  expect(ours.unseal(sealed)).toBe('JBSWY3DPEHPK3PXP')
  expect(ours.seal('JBSWY3DPEHPK3PXP')).not.toBe(sealed)
  expect(() => theirs.unseal(sealed)).toThrow('the secret of the server has changed')
  expect(() => ours.unseal('AAAA')).toThrow('the secret of the server has changed')
})

test('a peppered password differs per server secret and fits into bcrypt', () => {
  expect(ours.pepper('four words of an operator')).not.toBe(theirs.pepper('four words of an operator'))
  expect(ours.pepper('x'.repeat(500)).length).toBeLessThan(72)
})
