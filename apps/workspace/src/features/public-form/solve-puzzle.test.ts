import { pbkdf2Sync } from 'node:crypto'
import { expect, test } from 'vitest'
import { solvePuzzle } from './solve-puzzle.ts'

const SALT = '000102030405060708090a0b0c0d0e0f'
const puzzle = (solution: number) => ({
  salt: SALT,
  rounds: 10,
  attempts: 100,
  target: pbkdf2Sync(String(solution), Buffer.from(SALT, 'hex'), 10, 32, 'sha256').toString('hex'),
  expires: 1,
  signature: 'signed',
})

test.each([0, 15, 16, 99])('finds the solution %d', async (solution) => {
  expect(await solvePuzzle(puzzle(solution))).toEqual({ ...puzzle(solution), solution })
})

test('gives up on a puzzle without a solution', async () => {
  expect(await solvePuzzle(puzzle(1_000))).toBeUndefined()
})
