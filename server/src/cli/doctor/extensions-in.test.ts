import { expect, test } from 'vitest'
import { extensionsIn } from './extensions-in.ts'

test.each([
  ['create extension vector;', ['vector']],
  [
    'CREATE EXTENSION IF NOT EXISTS "uuid-ossp" WITH SCHEMA extensions; create extension PostGIS',
    ['uuid-ossp', 'postgis'],
  ],
  ['-- create extension a;\n/* create extension b; */ select 1', []],
  ['comment on extension c is $$create$$', []],
])('%s', (text, names) => {
  expect(extensionsIn(text)).toEqual(names)
})
