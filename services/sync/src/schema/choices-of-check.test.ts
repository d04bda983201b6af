import { describe, expect, test } from 'vitest'
import { choicesOfCheck } from './choices-of-check.ts'

describe('the choices of a CHECK', () => {
  test.each([
    [`(kind = ANY (ARRAY['pump'::text, 'valve'::text]))`, ['pump', 'valve']],
    [
      `((kind)::text = ANY ((ARRAY['pump'::character varying, 'valve'::character varying])::text[]))`,
      ['pump', 'valve'],
    ],
    [`((kind)::text = ANY (ARRAY[('a'::character varying)::text, ('b'::character varying)::text]))`, ['a', 'b']],
    [`(kind = ANY ('{pump,"gate valve"}'::text[]))`, undefined],
    [`(kind = ANY ('{pump,valve}'::text[]))`, ['pump', 'valve']],
    [`(kind = 'pump'::text)`, ['pump']],
    [`((kind = 'pump'::text) OR (kind = 'valve'::text))`, ['pump', 'valve']],
    [`((kind IS NULL) OR (kind = ANY (ARRAY['a'::text, 'b'::text])))`, ['a', 'b']],
    [`(("Kind of" = ANY (ARRAY['a'::text, 'b'::text])) OR ("Kind of" IS NULL))`, ['a', 'b']],
    [`((length(kind) < 9) AND (kind = ANY (ARRAY['a'::text, 'b'::text])))`, ['a', 'b']],
    [`((kind = ANY (ARRAY['a'::text, 'b'::text])) AND (kind = ANY (ARRAY['b'::text, 'c'::text])))`, ['b']],
    [`(kind = ANY (ARRAY['it''s'::text, 'a) OR (b'::text, 'x::text'::text]))`, ["it's", 'a) OR (b', 'x::text']],
  ])('%s', (expression, choices) => {
    expect(choicesOfCheck(expression)).toEqual(choices)
  })

  test.each([
    `(length(kind) < 9)`,
    `(lower(kind) = ANY (ARRAY['a'::text, 'b'::text]))`,
    `(kind <> ALL (ARRAY['a'::text, 'b'::text]))`,
    `(NOT (kind = ANY (ARRAY['a'::text])))`,
    `((kind = 'a'::text) OR (length(kind) > 3))`,
    `(kind = lower('A'::text))`,
    `(kind = ANY (ARRAY['a'::text, lower('B'::text)]))`,
    `(kind = ANY (ARRAY['a'::text, NULL::text]))`,
    `(kind = E'a\\\\b'::text)`,
    `((CURRENT_USER = ANY (ARRAY['a'::name])) OR (kind IS NULL))`,
    `((kind = 'a'::text) = true)`,
    `(kind IS NOT NULL)`,
    `((kind)::character varying(2))::text = 'ab'::text`,
  ])('has none: %s', (expression) => {
    expect(choicesOfCheck(expression)).toBeUndefined()
  })
})
