import { pbkdf2Sync } from 'node:crypto'
import { expect, test } from 'vitest'
import { createProofOfWork, type Puzzle } from './proof-of-work.ts'

let now = 1_000_000
const work = createProofOfWork('a secret', { now: () => now })

function solve({ salt, rounds, attempts, target }: Puzzle): number {
  for (let solution = 0; solution < attempts; solution++)
    if (pbkdf2Sync(String(solution), Buffer.from(salt, 'hex'), rounds, 32, 'sha256').toString('hex') === target)
      return solution
  throw new Error('the puzzle has no solution')
}

test('a puzzle has a solution, which is good for its own answer and for ten minutes', async () => {
  const puzzle = await work.create('one')
  const proof = { ...puzzle, solution: solve(puzzle) }
  expect(await work.isSolved('one', proof)).toBe(true)
  expect(await work.isSolved('another', proof)).toBe(false)
  expect(await createProofOfWork('another secret', { now: () => now }).isSolved('one', proof)).toBe(false)
  expect(await work.isSolved('one', { ...proof, expires: proof.expires + 1 })).toBe(false)
  expect(await work.isSolved('one', { ...proof, solution: proof.solution + 1 })).toBe(false)
  now += 10 * 60_000 + 1
  expect(await work.isSolved('one', proof)).toBe(false)
})

test.each([undefined, null, 'text', 1, [], {}, { solution: Number.POSITIVE_INFINITY }, { salt: 'zz', solution: 1 }])(
  'what is no puzzle (%j) is not solved',
  async (proof) => {
    expect(await work.isSolved('one', proof)).toBe(false)
  },
)
