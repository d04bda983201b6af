import { expect, test } from 'vitest'
import { readAppSettings } from './app-settings.ts'

test('settings have the names that current_setting takes, and any value of one line', () => {
  expect(readAppSettings({})).toEqual({})
  expect(
    readAppSettings({ 'app.settings.url': 'https://a.example/?b=c', 'app.Tenant': '', 'app.a.b_2': 7, 'app.on': true }),
  ).toEqual({ 'app.settings.url': 'https://a.example/?b=c', 'app.Tenant': '', 'app.a.b_2': '7', 'app.on': 'true' })
})

test.each<readonly [string, unknown]>([
  ['settings.a', '1'],
  ['request.jwt.claims', '{}'],
  ['role', 'postgres'],
  ['app.', '1'],
  ['app.a-b', '1'],
  ['', '1'],
  ['app.a', '1\n2'],
  ['app.a', null],
  ['app.a', { b: 1 }],
])('refuses %j: %j', (name, value) => {
  expect(() => readAppSettings({ [name]: value })).toThrow(expect.objectContaining({ code: 'option_invalid' }))
})
