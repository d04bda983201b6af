import { createHash } from 'node:crypto'
import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import { dependenciesOfExpr } from '../compile/dependencies.ts'
import { surveyExpr } from '../compile/survey.ts'
import { readsClock } from '../syntax/clock.ts'
import { isClaimFunction, type Call } from '../syntax/convert-call.ts'
import type { Expr, Query } from '../syntax/expression.ts'
import { renderExpr, renderQuery } from '../syntax/render.ts'
import { functionsOf } from '../syntax/typing.ts'
import { walkExpr } from '../syntax/walk.ts'

/** Longer lists are not sent to devices. */
export const FACT_VALUES_MAX = 1_000

/** A part of a policy that depends only on the user. */
export interface FactQuery {
  /** Hash of the query. */
  readonly name: string
  /** Expression of type text, or text[] for a list, evaluated as the user. A list beyond {@link FACT_VALUES_MAX} has one extra value. */
  readonly sql: string
  readonly isList: boolean
  /** OIDs of the tables it reads. */
  readonly reads: readonly number[]
}

/** Collects the facts to query about a user. */
export class FactQueries {
  readonly queries = new Map<string, FactQuery>()
  readonly #catalog: PolicyCatalog
  readonly #role: number
  readonly #table: number

  /** @param table - OID of the policies' own table, which they may not read */
  constructor(catalog: PolicyCatalog, role: number, table: number) {
    this.#catalog = catalog
    this.#role = role
    this.#table = table
  }

  /** Whether an expression depends only on the user, who is allowed to evaluate it. */
  dependsOnUser(expr: Expr): boolean {
    const survey = surveyExpr(expr, this.#catalog)
    if (survey.row.size > 0 || survey.outer.size > 0 || readsClock(expr)) return false
    if ([...survey.as].some((rights) => rights !== undefined)) return false
    let isNameable = true
    walkExpr(expr, {
      expr: (inner) => {
        if (inner.kind === 'call' && !this.#isReachable(inner)) isNameable = false
      },
    })
    return isNameable
  }

  /** Whether the API could call it, too: PostgREST passes arguments by name. */
  #isReachable(call: Call): boolean {
    if (call.via !== undefined || call.as !== undefined) return false
    if (call.schema === 'pg_catalog' || isClaimFunction(call)) return true
    return functionsOf(call, this.#catalog).every(({ argNames }) => argNames.every((name) => name !== ''))
  }

  /** @throws {Refusal} if its reads cannot be tracked */
  addValue(expr: Expr): string {
    return this.#add(`(${renderExpr(expr)})::text`, false, expr)
  }

  /** Adds an array's elements. @throws {Refusal} if its reads cannot be tracked */
  addArray(expr: Expr): string {
    const array = renderExpr(expr)
    const elements = `select distinct e::text from pg_catalog.unnest(${array}) e limit ${FACT_VALUES_MAX + 1}`
    return this.#add(`case when (${array}) is not null then array(${elements}) end`, true, expr)
  }

  /** Adds a single-column query's values. @throws {Refusal} if its reads cannot be tracked */
  addQuery(query: Query, expr: Expr): string {
    const values = `select distinct q.v::text from (${renderQuery(query)}) as q(v) limit ${FACT_VALUES_MAX + 1}`
    return this.#add(`array(${values})`, true, expr)
  }

  #add(sql: string, isList: boolean, expr: Expr): string {
    const { dependencies } = dependenciesOfExpr(expr, this.#role, this.#table, this.#catalog)
    const name = createHash('sha256').update(sql).digest('hex').slice(0, 12)
    this.queries.set(name, { name, sql, isList, reads: [...new Set(dependencies.map(({ oid }) => oid))] })
    return name
  }
}
