// What precedes a write, in one chunk that loads with the first change.
export { completeCommand } from './computed-defaults.ts'
export { judgeCommand } from './judge-command.ts'
