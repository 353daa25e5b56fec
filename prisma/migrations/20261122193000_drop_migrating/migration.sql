DROP TABLE IF EXISTS "_tilemark_migrating";
