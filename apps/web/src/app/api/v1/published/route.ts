import { allPublished, findSuite } from '@tilemark/core';
import { operations } from '@/server/operations';
import { serve } from '@/server/serve';

export const GET = serve(operations.listPublished, ({ query }) => {
  const suite = query.suite === undefined ? null : findSuite(query.suite);
  return {
    items: allPublished().filter((table) => suite === null || table.suite === suite.id),
    nextCursor: null,
  };
});
