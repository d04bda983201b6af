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

/** A list with more values than this is not told to devices. */
export const FACT_VALUES_MAX = 1_000

/** A part of a policy that depends on the person alone. */
export interface FactQuery {
  /** A hash of the query. */
  readonly name: string
  /** An expression of type text, or text[] of a list, evaluated as the person. A list has one value more than {@link FACT_VALUES_MAX} when it has too many. */
  readonly sql: string
  readonly isList: boolean
  /** OIDs of the tables that it reads. */
  readonly reads: readonly number[]
}

/** Collects what Postgres is to be asked about the person. */
export class FactQueries {
  readonly queries = new Map<string, FactQuery>()
  readonly #catalog: PolicyCatalog
  readonly #role: number
  readonly #table: number

  /** @param table - OID of the table whose policies are read, which they may not read themselves */
  constructor(catalog: PolicyCatalog, role: number, table: number) {
    this.#catalog = catalog
    this.#role = role
    this.#table = table
  }

  /** Whether an expression depends on the person alone, and can be asked for by whoever is asked about. */
  isOfPerson(expr: Expr): boolean {
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

  /** Whether the API can call it, too: PostgREST passes arguments by name. */
  #isReachable(call: Call): boolean {
    if (call.via !== undefined || call.as !== undefined) return false
    if (call.schema === 'pg_catalog' || isClaimFunction(call)) return true
    return functionsOf(call, this.#catalog).every(({ argNames }) => argNames.every((name) => name !== ''))
  }

  /** @throws {Refusal} when what it reads cannot be followed */
  addValue(expr: Expr): string {
    return this.#add(`(${renderExpr(expr)})::text`, false, expr)
  }

  /** The elements of an array. @throws {Refusal} when what it reads cannot be followed */
  addArray(expr: Expr): string {
    const array = renderExpr(expr)
    const elements = `select distinct e::text from pg_catalog.unnest(${array}) e limit ${FACT_VALUES_MAX + 1}`
    return this.#add(`case when (${array}) is not null then array(${elements}) end`, true, expr)
  }

  /** The values of a query of one column. @throws {Refusal} when what it reads cannot be followed */
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
