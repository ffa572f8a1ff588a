import { json } from '../resolvers/scalars.ts'
import { builder } from './builder.ts'

builder.scalarType('JSON', json)
