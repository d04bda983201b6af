import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitStatements } from './split-statements.ts'

const STATEMENTS = [
  'select 1',
  `select 'a;b -- /* no comment' as "x;y"`,
  "create function f() returns text language sql as $body$ select ';' /* inside */; $body$",
  `insert into t values ('Größe 🔧')`,
  'create table t (\n  id int, -- the key;\n  n int\n)',
  'do $$ begin perform 1; end $$',
]
const LEADS = [
  '',
  ' ',
  '\n\n',
  '\t\r\n',
  '-- one; line\n',
  '-- Größe 🔧\n',
  '/* a; comment */',
  '/* outer /* inner; */ still outer */ ',
  '/* a /* b /* c */ */\n */\n',
  '/***/',
]

describe('a file of SQL', () => {
  test('comes apart into its statements, each with the line and the place at which it begins', async () => {
    const part = fc.record({
      leads: fc.array(fc.constantFrom(...LEADS), { maxLength: 3 }).map((leads) => leads.join('')),
      statement: fc.constantFrom(...STATEMENTS),
      end: fc.constantFrom(';', ' ;', '\n;', ';;'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), fc.boolean(), async (parts, isOpen) => {
        const file = parts.map(({ leads, statement, end }) => `${leads}${statement}${end}`).join('')
        const text = isOpen ? file.replace(/[\s;]+$/u, '') : file
        const found = await splitStatements(text)
        expect(found.map((one) => one.text.trim())).toEqual(parts.map(({ statement }) => statement))
        let from = 0
        for (const [index, { start, line, text: own }] of found.entries()) {
          expect(text.slice(start, start + own.length)).toBe(own)
          from = text.indexOf(parts[index]?.statement ?? '', from)
          // The lead cannot contain the statement's words, so their next occurrence is its start.
          expect(start).toBe(from)
          expect(line).toBe(text.slice(0, start).split('\n').length)
          from += own.length
        }
      }),
    )
  })

  test.each([
    ['begin', 'begin or commit'],
    ['start transaction', 'begin or commit'],
    ['commit', 'begin or commit'],
    ['end', 'begin or commit'],
    ['savepoint a', 'plain'],
    ['release a', 'plain'],
    ['rollback to a', 'plain'],
    ['rollback', 'ends the transaction'],
    ["prepare transaction 'a'", 'ends the transaction'],
    ['copy t from stdin', 'reads the input'],
    ["copy t from '/tmp/x'", 'plain'],
    ['create index on t (a)', 'plain'],
    ['create index concurrently on t (a)', 'runs alone'],
    ['drop index a', 'plain'],
    ['drop index concurrently a', 'runs alone'],
    ['vacuum', 'runs alone'],
    ['analyze t', 'plain'],
    ['cluster', 'runs alone'],
    ['cluster t', 'plain'],
    ['reindex table t', 'plain'],
    ['reindex table concurrently t', 'runs alone'],
    ['reindex schema public', 'runs alone'],
    ['alter table t detach partition p', 'plain'],
    ['alter table t detach partition p concurrently', 'runs alone'],
    ["alter system set work_mem = '8MB'", 'runs alone'],
    ['create database d', 'runs alone'],
    ['drop database d', 'runs alone'],
  ])('%s: %s', async (statement, kind) => {
    expect((await splitStatements(`-- before\n${statement};`)).map((one) => one.kind)).toEqual([kind])
  })

  test('names the publication of all tables, and says where it is no SQL', async () => {
    const [one] = await splitStatements('create publication everything for all tables')
    expect(one?.publishesAllAs).toBe('everything')
    expect((await splitStatements('create publication part for table t'))[0]).not.toHaveProperty('publishesAllAs')
    await expect(splitStatements('select 1; selec 2')).rejects.toThrow('selec')
  })
})
