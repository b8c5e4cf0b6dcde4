import { FEATURES } from '../../src/features/index.js';
import { CORE_ROUTES } from '../../src/http/routes.js';
import { listOperations, openapiDocument } from '../../src/http/request/openapi.js';
import { featureRooms } from '../../config/tooling/rooms.js';
import { routesOfFeatures } from '../support/feature-routes.js';
import { memoryGateway } from '../support/memory-gateway.js';

describe('the features together', () => {
  it('serve, with the core, every operation of openapi.yaml, and nothing else', () => {
    const routes = Object.keys({ ...CORE_ROUTES, ...routesOfFeatures(memoryGateway().contexts) });
    const described = new Set(listOperations(openapiDocument()).map(({ formOf }) => formOf));
    expect(routes.sort()).toEqual([...described].sort());
  });

  it('are listed under the names of their directories', () => {
    expect(FEATURES.map(({ name }) => name).sort()).toEqual(featureRooms.map(({ room }) => room).sort());
  });
});
