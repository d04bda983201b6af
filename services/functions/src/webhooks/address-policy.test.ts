import type { LookupAddress } from 'node:dns'
import { describe, expect, test } from 'vitest'
import { AddressRefused, createAddressPolicy, type AddressPolicy } from './address-policy.ts'

// Which addresses requests of the database may reach. Names are resolved by this machine's own resolver, without a network: `localhost` only.

function reach(allow: readonly string[] = [], host = '127.0.0.1'): AddressPolicy {
  return createAddressPolicy({ baseUrl: 'https://project.example', listening: { host, port: 54_321 }, allow })
}

function isRefused(one: AddressPolicy, url: string): boolean {
  try {
    one.check(new URL(url))
    return false
  } catch (error) {
    if (error instanceof AddressRefused) return true
    throw error
  }
}

function resolve(one: AddressPolicy, url: string, all: boolean): Promise<string | readonly LookupAddress[]> {
  return new Promise((done, fail) =>
    one.lookupFor(new URL(url))(new URL(url).hostname, { all }, (error, address) =>
      error ? fail(error) : done(address),
    ),
  )
}

describe('addresses that are not public', () => {
  test.each([
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://100.64.0.1/',
    'http://127.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[fc00::1]/',
    'http://[fd12:3456::1]/',
    'http://[fe80::1]/',
    'http://[ff02::1]/',
    'http://[2001:db8::1]/',
  ])('%s is refused', (url) => expect(isRefused(reach(), url)).toBe(true))

  test.each([
    ['a number', 'http://2130706433/'],
    ['octal and hexadecimal numbers', 'http://0177.0x0.1/'],
    ['fewer parts', 'http://127.1/'],
    ['full-width digits', 'http://１２７.0.0.1/'],
    ['an address of IPv4 in IPv6', 'http://[::ffff:127.0.0.1]/'],
    ['the same in hexadecimal', 'http://[::ffff:7f00:1]/'],
    ['a translated address', 'http://[64:ff9b::a00:1]/'],
    ['6to4', 'http://[2002:7f00:1::]/'],
    ['Teredo', 'http://[2001:0:a00:1::]/'],
    ['an address of IPv4 in the form before the mapped one', 'http://[::127.0.0.1]/'],
  ])('are refused written as %s', (_, url) => expect(isRefused(reach(), url)).toBe(true))

  test.each([
    'http://1.1.1.1/',
    'https://8.8.8.8:8443/',
    'http://172.32.0.1/',
    'http://100.128.0.1/',
    'http://[2606:4700:4700::1111]/',
    'http://[64:ff9b::808:808]/',
    'http://[::ffff:8.8.8.8]/',
  ])('does not concern %s', (url) => expect(isRefused(reach(), url)).toBe(false))
})

describe('names', () => {
  test.each([true, false])('that resolve to such addresses only are refused (all: %s)', async (all) => {
    await expect(resolve(reach(), 'http://localhost:1/', all)).rejects.toThrow(
      'localhost is not a public address: name it in webhooksAllow',
    )
  })

  test('resolve to the addresses of an allowed network only', async () => {
    const addresses = await resolve(reach(['127.0.0.0/8']), 'http://localhost:1/', true)
    expect(addresses).toEqual([{ address: '127.0.0.1', family: 4 }])
    expect(await resolve(reach(['127.0.0.0/8']), 'http://localhost:1/', false)).toBe('127.0.0.1')
  })

  test('that are unknown fail as unknown', async () => {
    await expect(resolve(reach(), 'http://no.such.host.invalid/', true)).rejects.toThrow(/ENOTFOUND|EAI_AGAIN/)
  })
})

describe('webhooksAllow', () => {
  test.each([
    [['10.0.0.0/8'], 'http://10.2.3.4/', false],
    [['10.0.0.0/8'], 'http://11.2.3.4/', false],
    [['10.0.0.0/8'], 'http://192.168.0.1/', true],
    [['192.168.0.1'], 'http://192.168.0.1:99/', false],
    [['192.168.0.1'], 'http://192.168.0.2/', true],
    [['192.168.0.1:99'], 'http://192.168.0.1:99/', false],
    [['192.168.0.1:99'], 'http://192.168.0.1:98/', true],
    [['192.168.0.1:80'], 'http://192.168.0.1/', false],
    [['fd00::/8'], 'http://[fd12::1]/', false],
    [['fd00::/8'], 'http://[fe80::1]/', true],
    [['[fd12::1]:99'], 'http://[fd12::1]:99/', false],
    [['127.0.0.0/8'], 'http://[::ffff:127.0.0.1]/', false],
    [['*'], 'http://169.254.169.254/', false],
  ])('%j: %s refused: %s', (allow, url, refused) => expect(isRefused(reach(allow), url)).toBe(refused))

  test('allows hosts by name, whatever they resolve to, and no others', async () => {
    const one = reach(['localhost:3000'])
    expect(await resolve(one, 'http://LOCALHOST:3000/', false)).toMatch(/^(127\.|::1$)/)
    await expect(resolve(one, 'http://localhost:3001/', false)).rejects.toThrow('is not a public address')
  })

  test.each(['http://crm.internal', 'crm.internal/path', '10.0.0.0/abc', 'a b', ''])('refuses %j', (entry) => {
    expect(() => reach([entry])).toThrow('is neither a host nor a network')
  })

  test.each(['10.0.0.0/33', 'fd00::/129'])('refuses %j', (entry) => {
    expect(() => reach([entry])).toThrow(/neither a host nor a network/)
  })
})

describe('the server itself', () => {
  test.each([
    'https://project.example/functions/v1/hello',
    'http://127.0.0.1:54321/rest/v1/',
    'http://localhost:54321/',
    'http://[::1]:54321/',
    'http://host.docker.internal:54321/',
    'http://kong:8000/functions/v1/hello',
  ])('is asked where it listens for %s', (url) => {
    expect(reach().own(new URL(url))).toEqual({ host: '127.0.0.1', port: 54_321 })
  })

  test.each([
    'http://project.example/',
    'https://project.example:8443/',
    'https://project.example.evil.example/',
    'https://evil.example/?https://project.example',
    'http://localhost:54322/',
    'https://localhost:54321/',
    'http://kong/',
    'http://127.0.0.2:54321/',
  ])('is not meant by %s', (url) => expect(reach().own(new URL(url))).toBeUndefined())

  test.each([
    ['0.0.0.0', '127.0.0.1'],
    ['::', '::1'],
    ['192.168.1.5', '192.168.1.5'],
  ])('that listens at %s is asked at %s', (host, asked) => {
    expect(reach([], host).own(new URL('https://project.example'))?.host).toBe(asked)
  })
})
